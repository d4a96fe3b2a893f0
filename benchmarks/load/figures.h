/* What the load generator counts, and how it tells it: lines of JSON. */
#ifndef FIGURES_H
#define FIGURES_H

#include <stdint.h>

#include "message.h"

enum { REASONS = 5 };

struct counts {
    uint64_t answers, bytes_in, bytes_out, errors;
    uint64_t closed[REASONS]; /* by what was said about the end of a request */
    uint64_t late_false, late_true, late_unknown;
};

/* From the beginning. */
extern struct counts counts;

void count_closed(struct text reason);

/* How long after a table's last answer a next request came; kept only after `keep_latencies`. */
void keep_latencies(void);
void note_latency(int64_t ns);

/* What a window of so many seconds brought: what there is beyond the counts at its beginning, and the latencies. */
void print_window(const struct counts *before, double seconds, double own_cpu_s, double watched_cpu_s);

void print_totals(void);

#endif
