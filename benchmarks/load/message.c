#include "message.h"

#include <string.h>

/* Where reading has come to; once something was wrong, everything that is read is 0. */
struct cursor {
    const unsigned char *at, *end;
    bool good;
};

static const struct {
    const char *type;
    enum kind kind;
} KINDS[] = {
    {"choose_card", CHOOSE_CARD},       {"request_closed", REQUEST_CLOSED}, {"choose_row", CHOOSE_ROW},
    {"choose_draft", CHOOSE_DRAFT},     {"welcome", WELCOME},               {"error", FAILURE},
    {"closing", CLOSING},
};

bool is_request(const struct message *message) {
    return message->kind == CHOOSE_CARD || message->kind == CHOOSE_ROW || message->kind == CHOOSE_DRAFT;
}

bool is_text(struct text text, const char *words) {
    return text.length == strlen(words) && memcmp(text.at, words, text.length) == 0;
}

uint32_t payload_length(const unsigned char header[HEADER_BYTES]) {
    return (uint32_t)header[0] << 24 | (uint32_t)header[1] << 16 | (uint32_t)header[2] << 8 | header[3];
}

/* --- reading ---------------------------------------------------------------------------------------------------- */

/* Steps over so many bytes; returns where they begin. */
static const unsigned char *take(struct cursor *cursor, uint64_t count) {
    const unsigned char *at = cursor->at;
    if (!cursor->good || count > (uint64_t)(cursor->end - at)) {
        cursor->good = false;
        return NULL;
    }
    cursor->at += count;
    return at;
}

static uint64_t big_endian(struct cursor *cursor, unsigned width) {
    const unsigned char *at = take(cursor, width);
    uint64_t value = 0;
    for (unsigned i = 0; at != NULL && i < width; i++) {
        value = value << 8 | at[i];
    }
    return value;
}

/* A value's first byte, with what it says: a number or true as itself, a text as its length, a container as its
 * number of items. Bytes that only have to be stepped over are in `bytes`. */
struct head {
    enum { NUMBER, TEXT, ARRAY, MAP, REST } is;
    uint64_t value;
    uint64_t bytes;
};

static struct head read_head(struct cursor *cursor) {
    const unsigned char *first = take(cursor, 1);
    unsigned byte = first == NULL ? 0xc0 : *first;
    if (byte < 0x80) {
        return (struct head){NUMBER, byte, 0};
    }
    if (byte < 0x90) {
        return (struct head){MAP, byte & 0x0f, 0};
    }
    if (byte < 0xa0) {
        return (struct head){ARRAY, byte & 0x0f, 0};
    }
    if (byte < 0xc0) {
        return (struct head){TEXT, byte & 0x1f, 0};
    }
    switch (byte) {
    case 0xcc: case 0xcd: case 0xce: case 0xcf: /* unsigned */
        return (struct head){NUMBER, big_endian(cursor, 1u << (byte - 0xcc)), 0};
    case 0xd0: case 0xd1: case 0xd2: case 0xd3: /* signed; the referee sends nothing below 0 */
        return (struct head){NUMBER, big_endian(cursor, 1u << (byte - 0xd0)), 0};
    case 0xd9: case 0xda: case 0xdb:
        return (struct head){TEXT, big_endian(cursor, 1u << (byte - 0xd9)), 0};
    case 0xdc: case 0xdd:
        return (struct head){ARRAY, big_endian(cursor, 2u << (byte - 0xdc)), 0};
    case 0xde: case 0xdf:
        return (struct head){MAP, big_endian(cursor, 2u << (byte - 0xde)), 0};
    case 0xc4: case 0xc5: case 0xc6: /* bin */
        return (struct head){REST, 0, big_endian(cursor, 1u << (byte - 0xc4))};
    case 0xc7: case 0xc8: case 0xc9: /* ext, with a byte for its type */
        return (struct head){REST, 0, big_endian(cursor, 1u << (byte - 0xc7)) + 1};
    case 0xca: case 0xcb: /* float */
        return (struct head){REST, 0, 4u << (byte - 0xca)};
    case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8: /* fixext */
        return (struct head){REST, 0, (1u << (byte - 0xd4)) + 1};
    default: /* nil, false, true, negative fixint */
        return (struct head){REST, 0, 0};
    }
}

static void skip(struct cursor *cursor) {
    for (uint64_t left = 1; left > 0 && cursor->good; left--) {
        struct head head = read_head(cursor);
        if (head.is == TEXT) {
            take(cursor, head.value);
        } else if (head.is == ARRAY) {
            left += head.value;
        } else if (head.is == MAP) {
            left += 2 * head.value;
        } else {
            take(cursor, head.bytes);
        }
    }
}

static struct text read_text(struct cursor *cursor) {
    struct cursor before = *cursor;
    struct head head = read_head(cursor);
    const unsigned char *at = head.is == TEXT ? take(cursor, head.value) : NULL;
    if (at == NULL) {
        *cursor = before;
        skip(cursor);
        return (struct text){NULL, 0};
    }
    return (struct text){at, (uint32_t)head.value};
}

static uint64_t read_number(struct cursor *cursor) {
    struct cursor before = *cursor;
    struct head head = read_head(cursor);
    if (head.is == NUMBER) {
        return head.value;
    }
    *cursor = before;
    skip(cursor);
    return 0;
}

static uint64_t read_first_item(struct cursor *cursor) {
    struct cursor whole = *cursor;
    struct head head = read_head(cursor);
    uint64_t first = head.is == ARRAY && head.value > 0 ? read_number(cursor) : 0;
    skip(&whole);
    *cursor = whole;
    return first;
}

static enum kind kind_of(struct text type) {
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (is_text(type, KINDS[i].type)) {
            return KINDS[i].kind;
        }
    }
    return OTHER;
}

static void read_field(struct cursor *cursor, struct text key, struct message *message) {
    if (is_text(key, "type")) {
        message->kind = kind_of(read_text(cursor));
    } else if (is_text(key, "game")) {
        message->game = read_text(cursor);
    } else if (is_text(key, "reason")) {
        message->reason = read_text(cursor);
    } else if (is_text(key, "message")) {
        message->words = read_text(cursor);
    } else if (is_text(key, "request")) {
        message->request = read_number(cursor);
    } else if (is_text(key, "choices")) {
        message->choice = read_first_item(cursor);
    } else if (is_text(key, "deal")) {
        message->deal = read_number(cursor);
    } else if (is_text(key, "trick")) {
        message->trick = read_number(cursor);
    } else {
        skip(cursor);
    }
}

bool read_message(const unsigned char *payload, size_t length, struct message *message) {
    struct cursor cursor = {payload, payload + length, true};
    struct head map = read_head(&cursor);
    memset(message, 0, sizeof *message);
    for (uint64_t left = map.is == MAP ? map.value : 0; left > 0 && cursor.good; left--) {
        struct text key = read_text(&cursor);
        read_field(&cursor, key, message);
    }
    return map.is == MAP && cursor.good && cursor.at == cursor.end;
}

/* --- writing ---------------------------------------------------------------------------------------------------- */

/* All texts that are written here have less than 32 bytes. */
static unsigned char *write_text(unsigned char *at, const char *text) {
    size_t length = strlen(text);
    *at++ = (unsigned char)(0xa0 | length);
    memcpy(at, text, length);
    return at + length;
}

static unsigned char *write_number(unsigned char *at, uint64_t value) {
    if (value < 0x80) {
        *at++ = (unsigned char)value;
        return at;
    }
    unsigned power = value <= 0xff ? 0 : value <= 0xffff ? 1 : value <= 0xffffffff ? 2 : 3;
    *at++ = (unsigned char)(0xcc + power);
    for (int shift = (8 << power) - 8; shift >= 0; shift -= 8) {
        *at++ = (unsigned char)(value >> shift);
    }
    return at;
}

static size_t write_header(unsigned char *frame, const unsigned char *end) {
    size_t length = (size_t)(end - frame) - HEADER_BYTES;
    for (int i = 0; i < HEADER_BYTES; i++) {
        frame[i] = (unsigned char)(length >> (24 - 8 * i));
    }
    return HEADER_BYTES + length;
}

size_t write_hello(unsigned char frame[MOST_HELLO], const char *name, const char *secret) {
    unsigned char *at = frame + HEADER_BYTES;
    *at++ = 0x84;
    at = write_text(write_text(at, "type"), "hello");
    at = write_text(write_text(at, "name"), name);
    at = write_text(write_text(at, "secret"), secret);
    at = write_text(at, "versions");
    *at++ = 0x91;
    *at++ = 1;
    return write_header(frame, at);
}

size_t write_answer(unsigned char frame[MOST_ANSWER], const struct message *request) {
    const char *type = request->kind == CHOOSE_CARD ? "card" : request->kind == CHOOSE_ROW ? "row" : "draft";
    unsigned char *at = frame + HEADER_BYTES;
    *at++ = 0x83;
    at = write_text(write_text(at, "type"), type);
    at = write_number(write_text(at, "request"), request->request);
    at = write_number(write_text(at, request->kind == CHOOSE_ROW ? "row" : "card"), request->choice);
    return write_header(frame, at);
}
