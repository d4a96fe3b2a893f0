#include "figures.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct counts counts;

static const char *const NAMES[REASONS] = {"answered", "late", "illegal", "gone", "forfeited"};

static struct {
    uint32_t *us;
    size_t count, room;
    bool kept;
} latency;

void count_closed(struct text reason) {
    for (int i = 0; i < REASONS; i++) {
        counts.closed[i] += is_text(reason, NAMES[i]);
    }
}

void keep_latencies(void) {
    latency.kept = true;
}

void note_latency(int64_t ns) {
    if (!latency.kept) {
        return;
    }
    if (latency.count == latency.room) {
        latency.room = latency.room ? 2 * latency.room : 1 << 16;
        latency.us = realloc(latency.us, latency.room * sizeof *latency.us);
        if (latency.us == NULL) {
            perror("no memory");
            exit(EXIT_FAILURE);
        }
    }
    latency.us[latency.count++] = ns < 0 ? 0 : (uint32_t)(ns / 1000);
}

static int ascending(const void *one, const void *other) {
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return a < b ? -1 : a > b;
}

static uint32_t percentile_us(double share) {
    return latency.count == 0 ? 0 : latency.us[(size_t)(share * (double)(latency.count - 1))];
}

static void print_count(const char *name, uint64_t count) {
    printf(", \"%s\": %llu", name, (unsigned long long)count);
}

void print_window(const struct counts *before, double seconds, double own_cpu_s, double watched_cpu_s) {
    if (latency.count > 0) {
        qsort(latency.us, latency.count, sizeof *latency.us, ascending);
    }
    printf("{\"seconds\": %.6f, \"own_cpu_s\": %.6f, \"watched_cpu_s\": %.6f", seconds, own_cpu_s, watched_cpu_s);
    print_count("decisions", counts.answers - before->answers);
    print_count("bytes_in", counts.bytes_in - before->bytes_in);
    print_count("bytes_out", counts.bytes_out - before->bytes_out);
    print_count("p50_us", percentile_us(0.5));
    print_count("p99_us", percentile_us(0.99));
    print_count("max_us", percentile_us(1));
    printf("}\n");
    fflush(stdout);
}

void print_totals(void) {
    printf("{\"answers\": %llu", (unsigned long long)counts.answers);
    for (int i = 0; i < REASONS; i++) {
        print_count(NAMES[i], counts.closed[i]);
    }
    print_count("late_false", counts.late_false);
    print_count("late_true", counts.late_true);
    print_count("late_unknown", counts.late_unknown);
    print_count("errors", counts.errors);
    printf("}\n");
    fflush(stdout);
}
