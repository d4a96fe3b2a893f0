/* The messages of SPEC.md as far as a bot that only answers needs them; msgpack by hand. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HEADER_BYTES = 4,
    MOST_PAYLOAD = 65536,
    MOST_HELLO = 256,
    MOST_ANSWER = 64,
};

enum kind { OTHER, WELCOME, CHOOSE_CARD, CHOOSE_ROW, CHOOSE_DRAFT, REQUEST_CLOSED, FAILURE, CLOSING };

/* A string inside the payload that was read. */
struct text {
    const unsigned char *at;
    uint32_t length;
};

/* What is not in a message is 0, or a text without length. */
struct message {
    enum kind kind;
    struct text game;
    struct text reason;
    struct text words;
    uint64_t request;
    uint64_t choice; /* the first of the legal ones */
    uint64_t deal;
    uint64_t trick;
};

bool is_request(const struct message *message);
bool is_text(struct text text, const char *words);

uint32_t payload_length(const unsigned char header[HEADER_BYTES]);

/* Returns false if the payload is no whole msgpack map. */
bool read_message(const unsigned char *payload, size_t length, struct message *message);

/* Write a frame; return its length. */
size_t write_hello(unsigned char frame[MOST_HELLO], const char *name, const char *secret);
size_t write_answer(unsigned char frame[MOST_ANSWER], const struct message *request);

#endif
