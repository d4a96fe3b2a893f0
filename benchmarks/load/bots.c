/* Plays as many bots on one thread: each request is answered with its first legal choice, at once unless told to think.
 *
 *     bots --port P --bots N [options]           options and their units: see `usage`
 *
 * Says three things, each a line of JSON:
 * 1. once every bot has been greeted: how long that took;
 * 2. what happened in a window that begins `--warmup` seconds after the last bot got its first request, and ends after
 *    `--seconds` and `--decisions`, or when all connections have ended;
 * 3. at the end: what there was in all. With `--hold` the bots play on after the window until stdin or all connections
 *    have ended.
 *
 * All times are nanoseconds of CLOCK_REALTIME, which is what the kernel stamps arrivals with.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "figures.h"
#include "message.h"
#include "queue.h"

enum {
    MOST_EVENTS = 1024,
    MOST_UNGREETED = 512, /* the backlog of a listener is about twice that */
    BOTS_PER_ADDRESS = 4096,
    MOST_GAME = 33,
    ROOM = 4 * (HEADER_BYTES + MOST_PAYLOAD),
    TICK_MS = 10,
};

static const int64_t NS_PER_S = 1000000000, NS_PER_MS = 1000000;

/* Who sits together; a turn is what all of a table are asked at once. */
struct table {
    char game[MOST_GAME];
    uint64_t turn;
    int64_t last_answer; /* of this turn, just before it was sent */
    int64_t turn_due;    /* the last answer of the turn before; 0 if there was none */
    struct table *next;
};

struct bot {
    int link;
    bool greeted, asked, thinking;
    unsigned char *rest; /* the beginning of a frame that is not whole yet */
    size_t rest_length;
    struct table *table;
    struct message request; /* the newest, but for its texts; with its times: */
    int64_t arrived;
    int64_t answered; /* just after the answer was sent; INT64_MAX before */
    uint64_t read;    /* the number of the read that brought it */
};

static struct {
    const char *host, *prefix, *record;
    int port, bots, watched;
    double warmup_s, seconds, limit_ms, think_ms;
    uint64_t decisions;
    bool hold;
} options = {.host = "127.0.0.1", .prefix = "bot-", .limit_ms = 1e9};

static struct bot *bots;
static struct table *tables;
static int epoll, ungreeted, unasked, open_links;
static int64_t last_asked;
static FILE *record;

static void fail(const char *what) {
    perror(what);
    exit(EXIT_FAILURE);
}

static int64_t now_on(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) < 0) {
        fail("a clock cannot be read");
    }
    return time.tv_sec * NS_PER_S + time.tv_nsec;
}

static double in_s(int64_t ns) {
    return (double)ns / (double)NS_PER_S;
}

/* --- what is measured ------------------------------------------------------------------------------------------- */

static struct table *table_of(struct bot *bot, struct text game) {
    if (bot->table != NULL && is_text(game, bot->table->game)) {
        return bot->table;
    }
    bot->table = tables;
    while (bot->table != NULL && !is_text(game, bot->table->game)) {
        bot->table = bot->table->next;
    }
    if (bot->table == NULL) {
        bot->table = calloc(1, sizeof *bot->table);
        if (bot->table == NULL || game.length >= MOST_GAME) {
            fail("no room for a table");
        }
        memcpy(bot->table->game, game.at, game.length);
        bot->table->next = tables;
        tables = bot->table;
    }
    return bot->table;
}

/* The first request of a turn ends the turn before: all its answers have been sent. */
static void note_turn(struct table *table, const struct message *request, int64_t arrived) {
    uint64_t turn = (request->deal * 16 + request->trick) * 8 + request->kind;
    if (turn != table->turn) {
        table->turn_due = table->last_answer;
        table->turn = turn;
    }
    if (table->turn_due != 0) {
        note_latency(arrived - table->turn_due);
    }
}

/* A decision was taken away as late: was it? A request that came in one read with its end has no time of its own. */
static void judge_lateness(const struct bot *bot, const struct message *closed, int64_t arrived, uint64_t read) {
    if (closed->request != bot->request.request || bot->read == read) {
        counts.late_unknown++;
        return;
    }
    int64_t decided = bot->answered < arrived ? bot->answered : arrived;
    if ((double)(decided - bot->arrived) <= options.limit_ms * (double)NS_PER_MS) {
        counts.late_false++;
    } else {
        counts.late_true++;
    }
}

/* --- one bot ---------------------------------------------------------------------------------------------------- */

static void end(struct bot *bot) {
    if (bot->link >= 0) {
        close(bot->link);
        bot->link = -1;
        open_links--;
    }
}

static void send_whole(struct bot *bot, const unsigned char *frame, size_t length) {
    ssize_t sent = send(bot->link, frame, length, MSG_NOSIGNAL);
    if (sent < 0) {
        end(bot);
    } else if ((size_t)sent < length) {
        fail("the peer does not read");
    }
    counts.bytes_out += length;
}

static void answer(struct bot *bot) {
    unsigned char frame[MOST_ANSWER];
    size_t length = write_answer(frame, &bot->request);
    bot->table->last_answer = now_on(CLOCK_REALTIME);
    send_whole(bot, frame, length);
    bot->answered = now_on(CLOCK_REALTIME);
    counts.answers++;
}

/* Lets a bot think for a while, up to the longest that is wanted. */
static void think(struct bot *bot) {
    double share = (double)rand() / (double)RAND_MAX;
    bot->thinking = true;
    queue_add(now_on(CLOCK_REALTIME) + (int64_t)(share * options.think_ms * (double)NS_PER_MS), (int)(bot - bots));
}

static void answer_what_is_due(void) {
    for (int number; (number = queue_take(now_on(CLOCK_REALTIME))) >= 0;) {
        bots[number].thinking = false;
        if (bots[number].link >= 0) {
            answer(&bots[number]);
        }
    }
}

static void take_request(struct bot *bot, const struct message *request, int64_t arrived, uint64_t read) {
    note_turn(table_of(bot, request->game), request, arrived);
    if (!bot->asked) {
        bot->asked = true;
        unasked--;
        last_asked = arrived;
    }
    bot->request = *request;
    bot->read = read;
    bot->arrived = arrived;
    bot->answered = INT64_MAX;
    if (options.think_ms <= 0) {
        answer(bot);
    } else if (!bot->thinking) { /* else the request before was taken away meanwhile */
        think(bot);
    }
}

static void note_end_of_request(const struct bot *bot, const struct message *closed, int64_t arrived, uint64_t read) {
    count_closed(closed->reason);
    if (is_text(closed->reason, "late")) {
        judge_lateness(bot, closed, arrived, read);
    }
}

static void deal_with(struct bot *bot, const struct message *message, int64_t arrived, uint64_t read) {
    if (is_request(message)) {
        take_request(bot, message, arrived, read);
    } else if (message->kind == REQUEST_CLOSED) {
        note_end_of_request(bot, message, arrived, read);
    } else if (message->kind == FAILURE) {
        if (counts.errors++ == 0) {
            fprintf(stderr, "%.*s\n", (int)message->words.length, message->words.at);
        }
    }
    if (!bot->greeted) {
        bot->greeted = true;
        ungreeted--;
    }
}

/* Deals with all whole frames; returns how many bytes they had. */
static size_t read_frames(struct bot *bot, const unsigned char *bytes, size_t length, int64_t arrived) {
    static uint64_t read;
    size_t at = 0;
    read++;
    while (length - at >= HEADER_BYTES && bot->link >= 0) {
        size_t payload = payload_length(bytes + at);
        struct message message;
        if (payload > MOST_PAYLOAD) {
            fprintf(stderr, "a frame of %zu bytes came, which is more than allowed\n", payload);
            exit(EXIT_FAILURE);
        }
        if (length - at < HEADER_BYTES + payload) {
            break;
        }
        if (!read_message(bytes + at + HEADER_BYTES, payload, &message)) {
            fprintf(stderr, "a frame of %zu bytes came that is no msgpack map\n", payload);
            exit(EXIT_FAILURE);
        }
        at += HEADER_BYTES + payload;
        deal_with(bot, &message, arrived, read);
    }
    return at;
}

static void keep_rest(struct bot *bot, const unsigned char *bytes, size_t length) {
    free(bot->rest);
    bot->rest = NULL;
    bot->rest_length = length;
    if (length > 0) {
        bot->rest = malloc(length);
        if (bot->rest == NULL) {
            fail("no memory");
        }
        memcpy(bot->rest, bytes, length);
    }
}

/* Reads once; `arrived` becomes the kernel's time of the last byte. */
static ssize_t receive(int link, unsigned char *bytes, size_t room, int64_t *arrived) {
    union {
        struct cmsghdr aligned;
        char bytes[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct iovec where = {.iov_base = bytes, .iov_len = room};
    struct msghdr header = {
        .msg_iov = &where, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control,
    };
    ssize_t count = recvmsg(link, &header, 0);
    *arrived = 0;
    for (struct cmsghdr *item = CMSG_FIRSTHDR(&header); count > 0 && item != NULL; item = CMSG_NXTHDR(&header, item)) {
        if (item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec time;
            memcpy(&time, CMSG_DATA(item), sizeof time);
            *arrived = time.tv_sec * NS_PER_S + time.tv_nsec;
        }
    }
    if (*arrived == 0) {
        *arrived = now_on(CLOCK_REALTIME);
    }
    return count;
}

static void read_bot(struct bot *bot) {
    static unsigned char bytes[ROOM];
    int64_t arrived;
    if (bot->link < 0) {
        return;
    }
    if (bot->rest_length > 0) {
        memcpy(bytes, bot->rest, bot->rest_length);
    }
    ssize_t count = receive(bot->link, bytes + bot->rest_length, sizeof bytes - bot->rest_length, &arrived);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (count <= 0) {
        end(bot);
        return;
    }
    if (record != NULL && bot == bots) {
        fwrite(bytes + bot->rest_length, 1, (size_t)count, record);
    }
    counts.bytes_in += (uint64_t)count;
    size_t length = bot->rest_length + (size_t)count;
    size_t done = read_frames(bot, bytes, length, arrived);
    if (done < length || bot->rest_length > 0) {
        keep_rest(bot, bytes + done, length - done);
    }
}

/* --- all bots --------------------------------------------------------------------------------------------------- */

/* Returns how long to wait at most, in ms: until the first bot has thought enough, if that is sooner. */
static int soonest(int timeout_ms) {
    int64_t due = queue_first();
    if (due < 0) {
        return timeout_ms;
    }
    int64_t left = (due - now_on(CLOCK_REALTIME) + NS_PER_MS - 1) / NS_PER_MS;
    return left <= 0 ? 0 : timeout_ms >= 0 && timeout_ms < left ? timeout_ms : (int)left;
}

/* Lets what has come be dealt with; returns whether stdin, if it is watched, is still open. */
static bool turn(int timeout_ms) {
    static struct epoll_event events[MOST_EVENTS];
    bool wanted = true;
    int ready = epoll_wait(epoll, events, MOST_EVENTS, soonest(timeout_ms));
    for (int i = 0; i < ready; i++) {
        char dropped[64];
        if (events[i].data.ptr != NULL) {
            read_bot(events[i].data.ptr);
        } else {
            wanted = read(STDIN_FILENO, dropped, sizeof dropped) > 0;
        }
    }
    answer_what_is_due();
    return wanted;
}

static void watch(int descriptor, struct bot *bot) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = bot};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) < 0) {
        fail("cannot watch");
    }
}

/* On this machine connecting takes no time. Many bots come from several addresses of it. */
static void enter(struct bot *bot, int number) {
    struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET};
    unsigned char frame[MOST_HELLO];
    char name[32];
    int on = 1;
    from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)(number / BOTS_PER_ADDRESS));
    to.sin_port = htons((uint16_t)options.port);
    bot->link = socket(AF_INET, SOCK_STREAM, 0);
    if (bot->link < 0 || inet_pton(AF_INET, options.host, &to.sin_addr) != 1) {
        fail("no socket");
    }
    setsockopt(bot->link, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    setsockopt(bot->link, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(bot->link, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    if (bind(bot->link, (struct sockaddr *)&from, sizeof from) < 0 ||
        connect(bot->link, (struct sockaddr *)&to, sizeof to) < 0 || fcntl(bot->link, F_SETFL, O_NONBLOCK) < 0) {
        fail("cannot connect");
    }
    open_links++;
    watch(bot->link, bot);
    snprintf(name, sizeof name, "%s%d", options.prefix, number + 1);
    send_whole(bot, frame, write_hello(frame, name, name));
}

static void enter_all(void) {
    int64_t begun = now_on(CLOCK_MONOTONIC);
    bots = calloc((size_t)options.bots, sizeof *bots);
    if (bots == NULL) {
        fail("no memory");
    }
    queue_make(options.bots);
    unasked = options.bots;
    for (int i = 0; i < options.bots; i++) {
        ungreeted++;
        enter(&bots[i], i);
        do {
            turn(ungreeted > MOST_UNGREETED ? TICK_MS : 0);
        } while (ungreeted > MOST_UNGREETED && open_links > 0);
    }
    while (ungreeted > 0 && open_links > 0) {
        turn(TICK_MS);
    }
    printf("{\"greeted\": %d, \"seconds\": %.6f}\n", options.bots - ungreeted, in_s(now_on(CLOCK_MONOTONIC) - begun));
    fflush(stdout);
}

static int64_t watched_cpu(clockid_t clock) {
    return options.watched > 0 ? now_on(clock) : 0;
}

static void measure(void) {
    clockid_t clock = CLOCK_MONOTONIC;
    if (options.watched > 0 && clock_getcpuclockid(options.watched, &clock) != 0) {
        fail("the process to watch is not there");
    }
    int64_t warmup = (int64_t)(options.warmup_s * (double)NS_PER_S);
    while (open_links > 0 && (unasked > 0 || now_on(CLOCK_REALTIME) < last_asked + warmup)) {
        turn(TICK_MS);
    }
    struct counts before = counts;
    int64_t begun = now_on(CLOCK_MONOTONIC), used = watched_cpu(clock), own = now_on(CLOCK_PROCESS_CPUTIME_ID);
    int64_t until = begun + (int64_t)(options.seconds * (double)NS_PER_S), now;
    keep_latencies();
    do {
        turn(TICK_MS);
        now = now_on(CLOCK_MONOTONIC);
    } while (open_links > 0 && (now < until || counts.answers - before.answers < options.decisions));
    print_window(&before, in_s(now - begun), in_s(now_on(CLOCK_PROCESS_CPUTIME_ID) - own),
                 in_s(watched_cpu(clock) - used));
}

static int usage(void) {
    fprintf(stderr,
            "usage: bots --port P --bots N [options]\n"
            "  --host A        numeric address; 127.0.0.1\n"
            "  --prefix TEXT   bots are called TEXT1, TEXT2, ..., and their secret is their name; bot-\n"
            "  --warmup S      seconds before anything is measured\n"
            "  --seconds S     of the window\n"
            "  --decisions N   the window goes on until there were so many\n"
            "  --limit-ms T    the time for a decision, to tell false lateness from true\n"
            "  --think-ms T    think up to so long about each answer, by chance; 0\n"
            "  --watch PID     whose processor time to tell\n"
            "  --record FILE   keep there all that the first bot gets\n"
            "  --hold          stay after the window, or without one\n");
    return 2;
}

static bool read_options(int count, char **words) {
    static const struct option known[] = {
        {"host", required_argument, NULL, 'a'},    {"port", required_argument, NULL, 'p'},
        {"bots", required_argument, NULL, 'n'},    {"prefix", required_argument, NULL, 'x'},
        {"warmup", required_argument, NULL, 'w'},  {"seconds", required_argument, NULL, 's'},
        {"decisions", required_argument, NULL, 'd'}, {"limit-ms", required_argument, NULL, 'l'},
        {"think-ms", required_argument, NULL, 't'}, {"watch", required_argument, NULL, 'c'},
        {"record", required_argument, NULL, 'r'},  {"hold", no_argument, NULL, 'h'},
        {0},
    };
    for (int found; (found = getopt_long(count, words, "", known, NULL)) != -1;) {
        switch (found) {
        case 'a': options.host = optarg; break;
        case 'p': options.port = atoi(optarg); break;
        case 'n': options.bots = atoi(optarg); break;
        case 'x': options.prefix = optarg; break;
        case 'w': options.warmup_s = atof(optarg); break;
        case 's': options.seconds = atof(optarg); break;
        case 'd': options.decisions = strtoull(optarg, NULL, 10); break;
        case 'l': options.limit_ms = atof(optarg); break;
        case 't': options.think_ms = atof(optarg); break;
        case 'c': options.watched = atoi(optarg); break;
        case 'r': options.record = optarg; break;
        case 'h': options.hold = true; break;
        default: return false;
        }
    }
    return optind == count && options.port > 0 && options.bots > 0 && strlen(options.prefix) < 16;
}

int main(int count, char **words) {
    if (!read_options(count, words)) {
        return usage();
    }
    if (options.record != NULL && (record = fopen(options.record, "wb")) == NULL) {
        fail(options.record);
    }
    epoll = epoll_create1(0);
    enter_all();
    if (options.seconds > 0 || options.decisions > 0) {
        measure();
    }
    if (options.hold) {
        watch(STDIN_FILENO, NULL);
        while (open_links > 0 && turn(-1)) {
        }
    }
    print_totals();
    if (record != NULL) {
        fclose(record);
    }
    return counts.errors > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
