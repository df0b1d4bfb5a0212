// What the drivers share. Each driver exports run, which does the same work each time and prints a
// line that depends on its result. The programs that they call are fetched by corpus/fetch.sh.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN __attribute__((export_name("run"))) void run(void)

// load returns the content of a file with a zero byte after it, and its size. A driver loads its
// input only once.
static inline char *load(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END)) abort();
    *size = (size_t)ftell(f);
    rewind(f);
    char *content = calloc(1, *size + 1);
    if (fread(content, 1, *size, f) != *size) abort();
    fclose(f);
    return content;
}

// digest is FNV-1a.
static inline uint32_t digest(const void *data, size_t size) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < size; i++) h = (h ^ ((const uint8_t *)data)[i]) * 16777619u;
    return h;
}

// result prints the result of a run.
static inline void result(uint32_t number, size_t size) {
    printf("%08x %zu\n", (unsigned)number, size);
    fflush(stdout);
}

// next is a pseudo-random number.
static inline uint32_t next(uint32_t *state) {
    return *state = *state * 1664525u + 1013904223u;
}
