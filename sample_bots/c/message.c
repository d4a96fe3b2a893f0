#include "message.h"

#include <msgpack.h>
#include <string.h>

static bool is_text(const msgpack_object *object, const char *text) {
    return object->type == MSGPACK_OBJECT_STR && object->via.str.size == strlen(text) &&
           memcmp(object->via.str.ptr, text, object->via.str.size) == 0;
}

/* The value of a key, or NULL. Keys that nobody asks for are never looked at, as the protocol wants it. */
static const msgpack_object *get(const msgpack_object *map, const char *key) {
    if (map == NULL || map->type != MSGPACK_OBJECT_MAP) {
        return NULL;
    }
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        if (is_text(&map->via.map.ptr[i].key, key)) {
            return &map->via.map.ptr[i].val;
        }
    }
    return NULL;
}

static int64_t number(const msgpack_object *object, int64_t otherwise) {
    if (object == NULL || object->type != MSGPACK_OBJECT_POSITIVE_INTEGER) {
        return otherwise;
    }
    return (int64_t)object->via.u64;
}

/* Nil and absent mean the same: an empty array. */
static uint32_t items(const msgpack_object *array) {
    return array != NULL && array->type == MSGPACK_OBJECT_ARRAY ? array->via.array.size : 0;
}

static void read_text(const msgpack_object *object, char *text, size_t room) {
    size_t size = object != NULL && object->type == MSGPACK_OBJECT_STR ? object->via.str.size : 0;
    size = size < room ? size : room - 1;
    if (size > 0) {
        memcpy(text, object->via.str.ptr, size);
    }
    text[size] = '\0';
}

static void read_cards(const msgpack_object *array, struct cards *cards) {
    cards->count = 0;
    for (uint32_t i = 0; i < items(array) && i < MOST_CARDS; i++) {
        /* Rows are from 0, so 0 has to pass; cards are used as indexes, so nothing beyond them may. */
        int64_t card = number(&array->via.array.ptr[i], -1);
        if (card >= 0 && card <= MOST_CARDS) {
            cards->at[cards->count++] = (int)card;
        }
    }
}

static void read_row_numbers(const msgpack_object *array, int numbers[ROWS]) {
    for (uint32_t row = 0; row < items(array) && row < ROWS; row++) {
        numbers[row] = (int)number(&array->via.array.ptr[row], 0);
    }
}

static void read_request(const msgpack_object *map, struct request *request) {
    const msgpack_object *rows = get(map, "rows");
    const msgpack_object *hands = get(map, "hands");
    request->id = number(get(map, "request"), 0);
    request->seat = (int)number(get(map, "seat"), 0);
    request->seats = (int)items(get(map, "totals"));
    int64_t highest = number(get(get(map, "rules"), "highest_card"), MOST_CARDS);
    request->highest_card = highest > 0 && highest < MOST_CARDS ? (int)highest : MOST_CARDS;
    request->cow = (int)number(get(map, "cow"), -1);
    for (uint32_t row = 0; row < items(rows) && row < ROWS; row++) {
        read_cards(&rows->via.array.ptr[row], &request->rows[row]);
    }
    read_row_numbers(get(map, "row_bullheads"), request->row_bullheads);
    read_row_numbers(get(map, "costs"), request->costs);
    read_cards(get(map, "seen"), &request->seen);
    read_cards(get(map, "hand"), &request->hand);
    read_cards(get(map, "choices"), &request->choices);
    for (uint32_t seat = 0; seat < items(hands) && seat < MOST_SEATS; seat++) {
        read_cards(&hands->via.array.ptr[seat], &request->hands[request->known_hands++]);
    }
}

static enum kind kind_of(const msgpack_object *map) {
    static const struct {
        const char *type;
        enum kind kind;
    } KINDS[] = {
        {"welcome", WELCOME},           {"choose_card", CHOOSE_CARD}, {"choose_row", CHOOSE_ROW},
        {"choose_draft", CHOOSE_DRAFT}, {"error", FAILURE},           {"closing", CLOSING},
    };
    const msgpack_object *type = get(map, "type");
    for (size_t i = 0; type != NULL && i < sizeof KINDS / sizeof *KINDS; i++) {
        if (is_text(type, KINDS[i].type)) {
            return KINDS[i].kind;
        }
    }
    return OTHER;
}

bool read_message(const unsigned char *payload, size_t length, struct message *message) {
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t used = 0;
    bool whole = msgpack_unpack_next(&unpacked, (const char *)payload, length, &used) == MSGPACK_UNPACK_SUCCESS;
    const msgpack_object *map = &unpacked.data;
    bool good = whole && used == length && map->type == MSGPACK_OBJECT_MAP;
    if (good) {
        memset(message, 0, sizeof *message);
        message->kind = kind_of(map);
        read_request(map, &message->request);
        read_text(get(map, "code"), message->code, sizeof message->code);
        read_text(get(map, "message"), message->text, sizeof message->text);
        const msgpack_object *fatal = get(map, "fatal");
        message->fatal = fatal != NULL && fatal->type == MSGPACK_OBJECT_BOOLEAN && fatal->via.boolean;
        message->retry_ms = number(get(map, "retry_ms"), -1);
    }
    msgpack_unpacked_destroy(&unpacked);
    return good;
}

uint32_t payload_length(const unsigned char header[HEADER_BYTES]) {
    return (uint32_t)header[0] << 24 | (uint32_t)header[1] << 16 | (uint32_t)header[2] << 8 | header[3];
}

static void pack_text(msgpack_packer *packer, const char *text) {
    msgpack_pack_str(packer, strlen(text));
    msgpack_pack_str_body(packer, text, strlen(text));
}

static void pack_field(msgpack_packer *packer, const char *key, const char *value) {
    pack_text(packer, key);
    pack_text(packer, value);
}

static void pack_number(msgpack_packer *packer, const char *key, int64_t value) {
    pack_text(packer, key);
    msgpack_pack_int64(packer, value);
}

/* Puts the length in front of what was packed. */
static size_t finish(char *frame, size_t room, msgpack_sbuffer *packed) {
    size_t size = packed->size;
    bool fits = HEADER_BYTES + size <= room;
    if (fits) {
        for (int i = 0; i < HEADER_BYTES; i++) {
            frame[i] = (char)(size >> (8 * (HEADER_BYTES - 1 - i)));
        }
        memcpy(frame + HEADER_BYTES, packed->data, size);
    }
    msgpack_sbuffer_destroy(packed);
    return fits ? HEADER_BYTES + size : 0;
}

size_t write_hello(char *frame, size_t room, const char *name, const char *secret) {
    msgpack_sbuffer packed;
    msgpack_packer packer;
    msgpack_sbuffer_init(&packed);
    msgpack_packer_init(&packer, &packed, msgpack_sbuffer_write);
    msgpack_pack_map(&packer, 5);
    pack_field(&packer, "type", "hello");
    pack_field(&packer, "name", name);
    pack_field(&packer, "secret", secret);
    pack_text(&packer, "versions");
    msgpack_pack_array(&packer, 1);
    msgpack_pack_int(&packer, 1);
    pack_field(&packer, "client", "sample-c");
    return finish(frame, room, &packed);
}

size_t write_answer(char *frame, size_t room, const struct message *asked) {
    msgpack_sbuffer packed;
    msgpack_packer packer;
    msgpack_sbuffer_init(&packed);
    msgpack_packer_init(&packer, &packed, msgpack_sbuffer_write);
    msgpack_pack_map(&packer, 3);
    pack_number(&packer, "request", asked->request.id);
    if (asked->kind == CHOOSE_ROW) {
        pack_field(&packer, "type", "row");
        pack_number(&packer, "row", choose_row(&asked->request));
    } else if (asked->kind == CHOOSE_DRAFT) {
        pack_field(&packer, "type", "draft");
        pack_number(&packer, "card", choose_draft(&asked->request));
    } else {
        pack_field(&packer, "type", "card");
        pack_number(&packer, "card", choose_card(&asked->request));
    }
    return finish(frame, room, &packed);
}
