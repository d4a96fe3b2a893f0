/*
 * `make test`: the bot on the vectors that come with the protocol. The files have a fixed layout, so finding a key
 * and reading the numbers behind it is all the JSON that this needs.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

static int checks, failures;

static void check(bool good, const char *what) {
    checks++;
    if (!good) {
        failures++;
        printf("failed: %.100s\n", what);
    }
}

/* The text of a file of vectors; ends the program if there are none, as in a copy of this directory elsewhere. */
static char *vectors(const char *name) {
    const char *folder = getenv("TAKE5_VECTORS");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : "../../protocol/vectors", name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        printf("skipped: TAKE5_VECTORS does not say where the vectors of the protocol are\n");
        exit(EXIT_SUCCESS);
    }
    size_t room = 1 << 20;
    char *text = calloc(room, 1);
    size_t size = text != NULL ? fread(text, 1, room - 1, file) : 0;
    fclose(file);
    if (size == 0) {
        exit(EXIT_FAILURE);
    }
    return text;
}

/* What stands behind the next such key, or NULL. */
static const char *behind(const char *text, const char *key) {
    const char *found = strstr(text, key);
    return found != NULL ? found + strlen(key) : NULL;
}

static int count(const char *from, const char *to, const char *word) {
    int found = 0;
    while ((from = strstr(from, word)) != NULL && from < to) {
        found++;
        from += strlen(word);
    }
    return found;
}

/* Reads an array of numbers; returns where it ends. */
static const char *read_array(const char *text, struct cards *cards) {
    cards->count = 0;
    for (; *text != ']'; text++) {
        if (isdigit((unsigned char)*text)) {
            cards->at[cards->count++] = (int)strtol(text, (char **)&text, 10);
            text--;
        }
    }
    return text + 1;
}

static void read_rows(const char *text, struct cards rows[ROWS]) {
    for (int row = 0; row < ROWS; row++) {
        text = read_array(text, &rows[row]);
    }
}

/* Every frame to a bot is taken apart into as many messages as the vector lists; a bad length is seen. */
static void test_frames(void) {
    static struct message message;
    static unsigned char bytes[MOST_PAYLOAD];
    char *text = vectors("frames.json");
    for (const char *line = text; (line = behind(line, "\"to\": \"bot\"")) != NULL;) {
        const char *sent = strstr(line, "\"messages\""), *errors = strstr(sent, "\"errors\"");
        size_t length = 0, at = 0;
        for (const char *digit = behind(line, "\"chunks\": "); digit < sent; digit++) {
            unsigned byte;
            if (isxdigit((unsigned char)digit[0]) && sscanf(digit, "%2x", &byte) == 1) {
                bytes[length++] = (unsigned char)byte;
                digit++;
            }
        }
        int read = 0;
        bool too_large = false;
        while (length - at >= HEADER_BYTES) {
            size_t payload = payload_length(bytes + at);
            too_large = payload > MOST_PAYLOAD;
            if (too_large || !read_message(bytes + at + HEADER_BYTES, payload, &message)) {
                break;
            }
            read++;
            at += HEADER_BYTES + payload;
        }
        const char *end = strchr(errors, '\n');
        check(read == count(sent, errors, "\"type\"") + count(errors, end, "unknown_type"), line);
        check(too_large == (count(errors, end, "frame_too_large") > 0), line);
    }
    free(text);
}

/* The first card of each position goes where the rules say. */
static void test_rules(void) {
    char *text = vectors("rules.json");
    for (const char *position = text; (position = behind(position, "\"rows\": ")) != NULL;) {
        struct cards rows[ROWS], after[ROWS];
        read_rows(position, rows);
        read_rows(behind(position, "\"after\": "), after);
        const char *placements = behind(position, "\"placements\": ");
        int card = atoi(behind(placements, "\"card\": "));
        bool too_low = strncmp(behind(placements, "\"row\": "), "null", 4) != 0;
        bool alone = count(placements, strchr(placements, ']'), "\"card\"") == 1;
        int row = row_for(rows, card);
        check((row < 0) == too_low, position);
        check(too_low || !alone || after[row].at[after[row].count - 1] == card, position);
    }
    free(text);
}

/* Each hand of each deal gets a card of the hand. */
static void test_deals(void) {
    char *text = vectors("deals.json");
    for (const char *deal = text; (deal = behind(deal, "\"highest\": ")) != NULL;) {
        struct cards deck;
        read_array(behind(deal, "\"deck\": "), &deck);
        struct request request = {.highest_card = atoi(deal), .cow = -1, .seats = (deck.count - ROWS) / 10};
        for (int row = 0; row < ROWS; row++) {
            request.rows[row] = (struct cards){.count = 1, .at = {deck.at[10 * request.seats + row]}};
            request.row_bullheads[row] = 1;
            request.seen.at[request.seen.count++] = request.rows[row].at[0];
        }
        for (int seat = 0; seat < request.seats; seat++) {
            request.hand.count = 10;
            memcpy(request.hand.at, deck.at + 10 * seat, 10 * sizeof *deck.at);
            request.choices = request.hand;
            int card = choose_card(&request), held = 0;
            for (int i = 0; i < request.hand.count; i++) {
                held += request.hand.at[i] == card;
            }
            check(held == 1, deal);
        }
    }
    free(text);
}

int main(void) {
    test_frames();
    test_rules();
    test_deals();
    printf("%d checks, %d failed\n", checks, failures);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
