// The job as an Extism plug-in, using the imports directly. It exports "call".

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "count.h"

#define EXTISM(name) __attribute__((import_module("extism:host/env"), import_name(#name)))

EXTISM(input_length) uint64_t input_length(void);
EXTISM(input_load_u8) uint32_t input_load_u8(uint64_t offset);
EXTISM(input_load_u64) uint64_t input_load_u64(uint64_t offset);
EXTISM(alloc) uint64_t extism_alloc(uint64_t length);
EXTISM(store_u8) void store_u8(uint64_t offset, uint32_t value);
EXTISM(store_u64) void store_u64(uint64_t offset, uint64_t value);
EXTISM(output_set) void output_set(uint64_t offset, uint64_t length);
EXTISM(error_set) void error_set(uint64_t offset);

// load and store move eight bytes at a time where possible, like Extism's own libraries.

static void load(char *to, uint64_t length) {
    uint64_t i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t word = input_load_u64(i);
        memcpy(to + i, &word, sizeof word);
    }
    for (; i < length; i++) to[i] = (char)input_load_u8(i);
}

static uint64_t store(const char *from, uint64_t length) {
    uint64_t at = extism_alloc(length), i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t word;
        memcpy(&word, from + i, sizeof word);
        store_u64(at + i, word);
    }
    for (; i < length; i++) store_u8(at + i, (uint8_t)from[i]);
    return at;
}

__attribute__((export_name("call"))) int call(void) {
    char answer[ANSWER_SIZE];
    uint64_t length = input_length();
    char *input = malloc(length + 1); // malloc(0) may return NULL
    if (input == NULL) return 1;
    load(input, length);
    bool ok = count(input, length, answer);
    free(input);
    uint64_t size = strlen(answer), at = store(answer, size);
    if (ok) {
        output_set(at, size);
    } else {
        error_set(at);
    }
    return ok ? 0 : 1;
}
