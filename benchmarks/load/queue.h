/* Bots that think: who is due first? A binary heap of moments (ns) and the numbers of bots. */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdbool.h>
#include <stdint.h>

/* Makes room for so many; call it once. */
void queue_make(int room);

void queue_add(int64_t due, int bot);

/* Takes out the first if it is due; returns its bot, or -1. */
int queue_take(int64_t now);

/* Returns when the first is due, or -1 if nobody thinks. */
int64_t queue_first(void);

#endif
