/*
 * Card policy: the card that puts the fewest bullheads at risk: those of its row, times the chance that opponents fill
 * the row before its turn, which follows from how many of the unseen cards would come in between.
 * Row policy: the cheapest, the first of equals.
 * Draft policy: the card nearest to the middle of the deck, since both extremes are hard to play.
 *
 * All of it is whole numbers: chances and risks are counted in millionths.
 */
#include "policy.h"

#include <stdbool.h>
#include <stdlib.h>

enum { ONE = 1000000 };

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

/* The chance that at least so many opponents play one of the cards in between, if each plays any card it may hold. */
static int64_t at_least(int least, int opponents, int in_between, int unseen) {
    int64_t chances[MOST_SEATS + 1] = {ONE}; /* that 0, 1, 2 ... of the opponents looked at so far do */
    for (int opponent = 1; opponent <= opponents && unseen > 0; opponent++) {
        for (int count = opponent; count > 0; count--) {
            chances[count] = (chances[count] * (unseen - in_between) + chances[count - 1] * in_between) / unseen;
        }
        chances[0] = chances[0] * (unseen - in_between) / unseen;
    }
    int64_t sum = 0;
    for (int count = least > 0 ? least : 0; count <= opponents; count++) {
        sum += chances[count];
    }
    return sum;
}

/* What it is worth to be rid of a card: the highest and the lowest are the dearest to keep. */
static int64_t relief(int card, int highest_card) {
    int64_t high = (int64_t)ONE * card / highest_card * card / highest_card * 3 / 2;
    return card < 12 ? high + ONE - ONE * card / 12 : high;
}

/* What a card puts at risk in this trick, less its relief. */
static int64_t risk(const struct request *request, const struct unseen *unseen, int card) {
    int opponents = request->seats - 1;
    int row = row_for(request->rows, card);
    int64_t bullheads = request->row_bullheads[row < 0 ? cheapest(request->row_bullheads) : row];
    int64_t chance;
    if (row < 0) {
        /* It takes a row unless somebody plays lower. */
        chance = ONE - at_least(1, opponents, between(unseen, 0, card), unseen->count);
    } else {
        const struct cards *cards = &request->rows[row];
        int room = ROW_LIMIT - cards->count - (row == request->cow);
        chance = at_least(room, opponents, between(unseen, end_of(cards), card), unseen->count);
        bullheads += 2 * room; /* those of the cards that come before ours */
    }
    return chance * bullheads - relief(card, request->highest_card);
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
