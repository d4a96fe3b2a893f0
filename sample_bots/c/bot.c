/* Stays with the referee: connects, answers, comes back after a drop, ends when told to. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "message.h"

enum {
    CONNECT_S = 5,
    FIRST_WAIT_MS = 100,
    LONGEST_WAIT_MS = 5000,
    MOST_FAILURES = 17, /* a minute of waiting in all */
    MOST_BUGS = 3,
    ROOM = 1024, /* for a frame of ours */
};

/* What the referee sets when it starts a bot. */
struct settings {
    const char *host, *port, *name, *secret;
};

/* Errors after which trying again changes nothing. */
static const char *const HOPELESS[] = {
    "unsupported_version", "unknown_entrant", "name_taken", "registration_closed", NULL,
};

/* Errors that are like a broken connection; all other fatal ones are bugs of the bot. */
static const char *const NO_BUGS[] = {"handshake_timeout", "too_many_connections", NULL};

static bool is_one_of(const char *code, const char *const codes[]) {
    while (*codes != NULL && strcmp(code, *codes) != 0) {
        codes++;
    }
    return *codes != NULL;
}

static void wait_ms(int64_t ms) {
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

/* Connects to one address of the referee; returns the socket, or -1 with errno set. */
static int connect_to(const struct addrinfo *address) {
    int link = socket(address->ai_family, address->ai_socktype, address->ai_protocol);
    if (link < 0) {
        return -1;
    }
    /* On Linux the limit for sending is also the one for connecting. */
    struct timeval limit = {.tv_sec = CONNECT_S}, none = {0};
    int on = 1;
    setsockopt(link, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(link, address->ai_addr, address->ai_addrlen) != 0) {
        int reason = errno;
        close(link);
        errno = reason;
        return -1;
    }
    setsockopt(link, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
    setsockopt(link, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return link;
}

static int connect_to_referee(const struct settings *settings) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *addresses;
    int problem = getaddrinfo(settings->host, settings->port, &hints, &addresses);
    if (problem != 0) {
        fprintf(stderr, "No referee answers: %s.\n", gai_strerror(problem));
        return -1;
    }
    int link = -1;
    for (struct addrinfo *one = addresses; one != NULL && link < 0; one = one->ai_next) {
        link = connect_to(one);
    }
    if (link < 0) {
        fprintf(stderr, "No referee answers: %s.\n", strerror(errno));
    }
    freeaddrinfo(addresses);
    return link;
}

/* Sends a frame. If the connection is at its end, reading will say so, after what the referee still had to say. */
static void send_all(int link, const char *frame, size_t length) {
    while (length > 0) {
        ssize_t sent = send(link, frame, length, 0);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return;
        }
        frame += sent;
        length -= (size_t)sent;
    }
}

/* Reads so many bytes, however the network tears them; false at the end of the connection. */
static bool read_all(int link, unsigned char *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = recv(link, bytes, length, 0);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        bytes += count;
        length -= (size_t)count;
    }
    return true;
}

static bool receive(int link, struct message *message) {
    static unsigned char payload[MOST_PAYLOAD];
    unsigned char header[HEADER_BYTES];
    if (!read_all(link, header, sizeof header)) {
        return false;
    }
    size_t length = payload_length(header);
    return length <= sizeof payload && read_all(link, payload, length) && read_message(payload, length, message);
}

/*
 * Plays on one connection. Says whether we were welcome, and leaves in `message` the closing or fatal error that
 * ended it, or something of another kind if it just broke.
 */
static bool play(const struct settings *settings, struct message *message) {
    bool welcomed = false;
    char frame[ROOM];
    message->kind = OTHER;
    int link = connect_to_referee(settings);
    if (link < 0) {
        return false;
    }
    send_all(link, frame, write_hello(frame, sizeof frame, settings->name, settings->secret));
    for (;;) {
        if (!receive(link, message)) {
            message->kind = OTHER;
            break;
        }
        if (message->kind == WELCOME) {
            welcomed = true;
        } else if (message->kind == CHOOSE_CARD || message->kind == CHOOSE_ROW || message->kind == CHOOSE_DRAFT) {
            send_all(link, frame, write_answer(frame, sizeof frame, message));
        } else if (message->kind == FAILURE) {
            fprintf(stderr, "%s\n", message->text);
        }
        if (message->kind == CLOSING || (message->kind == FAILURE && message->fatal)) {
            break;
        }
        /* All else may be ignored, and what this bot has never heard of must be. */
    }
    close(link);
    return welcomed;
}

/* Plays until told to end, and comes back whenever the connection breaks; returns the exit code. */
static int stay(const struct settings *settings) {
    static struct message end;
    int failures = 0, bugs = 0, wait = FIRST_WAIT_MS;
    for (;;) {
        if (play(settings, &end)) {
            failures = 0;
            wait = FIRST_WAIT_MS;
        }
        if (end.kind == CLOSING) {
            if (end.retry_ms < 0) {
                return EXIT_SUCCESS;
            }
            wait_ms(end.retry_ms);
            continue;
        }
        bool failed = end.kind == FAILURE;
        bugs = failed && !is_one_of(end.code, NO_BUGS) ? bugs + 1 : 0;
        if (bugs == MOST_BUGS || (failed && is_one_of(end.code, HOPELESS)) || failures == MOST_FAILURES) {
            fprintf(stderr, "This bot gives up on the referee at %s, port %s.\n", settings->host, settings->port);
            return EXIT_FAILURE;
        }
        wait_ms(wait);
        failures++;
        wait = 2 * wait < LONGEST_WAIT_MS ? 2 * wait : LONGEST_WAIT_MS;
    }
}

static const char *setting(const char *name) {
    const char *value = getenv(name);
    if (value == NULL) {
        fprintf(stderr, "%s is not set: the referee sets it when it starts a bot.\n", name);
        exit(EXIT_FAILURE);
    }
    return value;
}

int main(void) {
    struct settings settings = {
        .host = setting("TAKE5_HOST"),
        .port = setting("TAKE5_PORT"),
        .name = setting("TAKE5_NAME"),
        .secret = setting("TAKE5_SECRET"),
    };
    signal(SIGPIPE, SIG_IGN); /* A referee that has hung up is no reason to die. */
    return stay(&settings);
}
