/*
 * Card policy: the card that puts the fewest bullheads at risk. A card is safe if fewer cards than its row has room
 * for can still come in between. Otherwise its risk grows with those that can, and with the number of opponents.
 * Row policy: the cheapest, the first of equals.
 * Draft policy: the card nearest to the middle of the deck, since both extremes are hard to play.
 *
 * All of it is whole numbers: risks are counted in thousandths of a bullhead.
 */
#include "policy.h"

#include <stdbool.h>
#include <stdlib.h>

enum { ONE = 1000 };

/* For each card, whether an opponent may hold it; `count` of them in all. */
struct unseen {
    bool may_come[MOST_CARDS + 1];
    int count;
};

static void mark(struct unseen *unseen, const struct cards *cards, bool may_come) {
    for (int i = 0; i < cards->count; i++) {
        unseen->may_come[cards->at[i]] = may_come;
    }
}

static struct unseen unseen_cards(const struct request *request) {
    struct unseen unseen = {.count = 0};
    for (int seat = 0; seat < request->known_hands; seat++) {
        mark(&unseen, &request->hands[seat], seat != request->seat);
    }
    if (request->known_hands == 0) {
        for (int card = 1; card <= request->highest_card; card++) {
            unseen.may_come[card] = true;
        }
        mark(&unseen, &request->seen, false);
        mark(&unseen, &request->hand, false);
    }
    for (int card = 1; card <= MOST_CARDS; card++) {
        unseen.count += unseen.may_come[card];
    }
    return unseen;
}

/* How many cards that an opponent may hold lie above `from` and below `to`. */
static int between(const struct unseen *unseen, int from, int to) {
    int count = 0;
    for (int card = from + 1; card < to; card++) {
        count += unseen->may_come[card];
    }
    return count;
}

static int end_of(const struct cards *row) {
    return row->count > 0 ? row->at[row->count - 1] : 0;
}

int row_for(const struct cards rows[ROWS], int card) {
    int found = -1;
    for (int row = 0; row < ROWS; row++) {
        if (end_of(&rows[row]) < card && (found < 0 || end_of(&rows[row]) > end_of(&rows[found]))) {
            found = row;
        }
    }
    return found;
}

static int cheapest(const int costs[ROWS]) {
    int found = 0;
    for (int row = 1; row < ROWS; row++) {
        if (costs[row] < costs[found]) {
            found = row;
        }
    }
    return found;
}

/* The chance, of ONE, that opponents fill a row with so much room before our card comes. */
static int filling(int opponents, int in_between, int unseen, int room) {
    if (room <= 0) {
        return ONE;
    }
    if (in_between < room || opponents < room) {
        return 0;
    }
    /* Each place filled takes an opponent who plays one of those cards: the mean number of them, for each place. */
    int mean = ONE * opponents * in_between / unseen;
    int chance = ONE;
    for (int place = 1; place <= room; place++) {
        int step = mean / place;
        chance = chance * (step < ONE ? step : ONE) / ONE;
    }
    return chance;
}

/* What a card puts at risk, less what it is worth to be rid of it. */
static int risk(const struct request *request, const struct unseen *unseen, int card) {
    int opponents = request->seats - 1;
    int relief = 3 * ONE / 2 * card / request->highest_card * card / request->highest_card;
    int row = row_for(request->rows, card);
    if (row < 0) {
        /* It takes a row if nobody plays lower. */
        int lower = between(unseen, 0, card);
        int bullheads = request->row_bullheads[cheapest(request->row_bullheads)];
        return ONE * bullheads - filling(opponents, lower, unseen->count, 1) * bullheads - ONE + ONE * card / 12;
    }
    const struct cards *cards = &request->rows[row];
    int room = ROW_LIMIT - cards->count - (row == request->cow);
    int in_between = between(unseen, end_of(cards), card);
    int stake = request->row_bullheads[row] + 2 * room;
    return filling(opponents, in_between, unseen->count, room) * stake - relief;
}

int choose_card(const struct request *request) {
    struct unseen unseen = unseen_cards(request);
    int found = request->choices.at[0];
    for (int i = 1; i < request->choices.count; i++) {
        if (risk(request, &unseen, request->choices.at[i]) < risk(request, &unseen, found)) {
            found = request->choices.at[i];
        }
    }
    return found;
}

int choose_row(const struct request *request) {
    return cheapest(request->costs);
}

int choose_draft(const struct request *request) {
    int found = request->choices.at[0];
    for (int i = 1; i < request->choices.count; i++) {
        int card = request->choices.at[i];
        if (abs(2 * card - request->highest_card) < abs(2 * found - request->highest_card)) {
            found = card;
        }
    }
    return found;
}
