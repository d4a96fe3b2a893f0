#include "queue.h"

#include <stdio.h>
#include <stdlib.h>

struct entry {
    int64_t due;
    int bot;
};

static struct entry *heap;
static int count;

void queue_make(int room) {
    heap = calloc((size_t)room, sizeof *heap);
    if (heap == NULL) {
        perror("no memory");
        exit(EXIT_FAILURE);
    }
}

static void swap(int one, int other) {
    struct entry entry = heap[one];
    heap[one] = heap[other];
    heap[other] = entry;
}

void queue_add(int64_t due, int bot) {
    heap[count] = (struct entry){due, bot};
    for (int at = count++; at > 0 && heap[at].due < heap[(at - 1) / 2].due; at = (at - 1) / 2) {
        swap(at, (at - 1) / 2);
    }
}

int queue_take(int64_t now) {
    if (count == 0 || heap[0].due > now) {
        return -1;
    }
    int bot = heap[0].bot;
    heap[0] = heap[--count];
    for (int at = 0, least; (least = 2 * at + 1) < count; at = least) {
        if (least + 1 < count && heap[least + 1].due < heap[least].due) {
            least++;
        }
        if (heap[at].due <= heap[least].due) {
            break;
        }
        swap(at, least);
    }
    return bot;
}

int64_t queue_first(void) {
    return count == 0 ? -1 : heap[0].due;
}
