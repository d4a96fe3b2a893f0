/* What to play. Each choice is a function of the request and of nothing else. */
#ifndef POLICY_H
#define POLICY_H

#include <stddef.h>
#include <stdint.h>

enum { ROWS = 4, ROW_LIMIT = 5, MOST_CARDS = 104, MOST_SEATS = 10 };

struct cards {
    int count;
    int at[MOST_CARDS];
};

/* A request of any kind; what its kind does not have is zero or empty. */
struct request {
    int64_t id;
    int seat;
    int seats;
    int highest_card;
    int cow; /* its row, or -1 */
    struct cards rows[ROWS];
    int row_bullheads[ROWS];
    int costs[ROWS];
    struct cards seen;
    struct cards hand;
    struct cards choices;
    int known_hands; /* how many of `hands` are known: all, or none */
    struct cards hands[MOST_SEATS];
};

int choose_card(const struct request *request);
int choose_row(const struct request *request);
int choose_draft(const struct request *request);

/* The row that a card goes to, the one with the highest end below it; -1 if it is too low for all. */
int row_for(const struct cards rows[ROWS], int card);

#endif
