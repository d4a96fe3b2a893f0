/* Frames and messages: between bytes and what this bot wants to know. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy.h"

enum { HEADER_BYTES = 4, MOST_PAYLOAD = 65536, MOST_TEXT = 4096 };

enum kind { OTHER, WELCOME, CHOOSE_CARD, CHOOSE_ROW, CHOOSE_DRAFT, FAILURE, CLOSING };

struct message {
    enum kind kind;
    struct request request; /* of CHOOSE_... */
    char code[64];          /* of FAILURE, as is all below */
    char text[MOST_TEXT];
    bool fatal;
    int64_t retry_ms; /* of CLOSING; -1 if there is none */
};

/* The length of the payload that a header announces. */
uint32_t payload_length(const unsigned char header[HEADER_BYTES]);

/* Reads a message from a payload; false if it is none. */
bool read_message(const unsigned char *payload, size_t length, struct message *message);

/* Write the frame of a message, at most `room` bytes; return its length, or 0 if there is too little room. */
size_t write_hello(char *frame, size_t room, const char *name, const char *secret);
size_t write_answer(char *frame, size_t room, const struct message *asked);

#endif
