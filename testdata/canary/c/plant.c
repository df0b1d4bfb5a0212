// The places where the canary leaves a token.

#include "canary.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wasi/api.h>

enum { FIRST_PREOPEN = 3, LAST_PREOPEN = 7, PAGE = 1 << 16 };

char planted[64] = "none";

static void in_static(const char *token) { snprintf(planted, sizeof planted, "%s", token); }

static void on_heap(const char *token) {
    static char *volatile leaked; // volatile, so that the compiler keeps it in memory
    for (size_t size = 32; size < 1 << 18; size *= 4) {
        leaked = malloc(size);
        for (size_t at = 0; leaked != NULL && at + 32 <= size; at += 32) strcpy(leaked + at, token);
    }
}

static void in_grown(const char *token) {
    size_t old = __builtin_wasm_memory_grow(0, 16);
    if (old == SIZE_MAX) return;
    for (size_t at = 0; at < 16 * PAGE; at += 1024) strcpy((char *)(old * PAGE + at), token);
}

// on_stack recurses as deeply as the stack of a C program allows.
static int on_stack(const char *token, int depth) {
    volatile char frame[512];
    for (size_t i = 0; i <= strlen(token); i++) frame[i] = token[i];
    return depth == 0 ? 0 : on_stack(token, depth - 1) + frame[0];
}

static void in_env(const char *token) { setenv("CANARY", token, 1); }

static void in_open_file(void) {
    for (int i = 0; i < 3; i++) (void)open("/workspace/a", O_RDONLY);
}

static void in_open_directory(void) {
    DIR *dir = opendir("/workspace");
    if (dir != NULL) (void)readdir(dir);
}

static void in_listing(void) {
    uint8_t entries[64];
    __wasi_size_t used;
    for (int fd = FIRST_PREOPEN; fd <= LAST_PREOPEN; fd++) (void)!__wasi_fd_readdir(fd, entries, sizeof entries, 0, &used);
}

static void in_flags(void) {
    for (int fd = 0; fd <= LAST_PREOPEN; fd++) (void)!__wasi_fd_fdstat_set_flags(fd, __WASI_FDFLAGS_APPEND | __WASI_FDFLAGS_NONBLOCK);
}

static void in_scratch(const char *token) {
    FILE *file = fopen("/tmp/left", "w");
    if (file != NULL) fputs(token, file);
}

static void in_closed(int first, int last) {
    for (int fd = first; fd <= last; fd++) (void)!__wasi_fd_close(fd);
}

static void in_random(void) {
    uint8_t bytes[40];
    (void)!__wasi_random_get(bytes, sizeof bytes);
    srand(bytes[0]);
    (void)rand();
}

static void in_clock(void) {
    for (int i = 0; i < 5; i++) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
}

static void say_planted(void) { answer(planted, strlen(planted)); }

int plant(const char *step, const char *token) {
    if (strcmp(step, "static") == 0) in_static(token);
    else if (strcmp(step, "heap") == 0) on_heap(token);
    else if (strcmp(step, "grow") == 0) in_grown(token);
    else if (strcmp(step, "stack") == 0) (void)on_stack(token, 80);
    else if (strcmp(step, "env") == 0) in_env(token);
    else if (strcmp(step, "open") == 0) in_open_file();
    else if (strcmp(step, "opendir") == 0) in_open_directory();
    else if (strcmp(step, "readdir") == 0) in_listing();
    else if (strcmp(step, "flags") == 0) in_flags();
    else if (strcmp(step, "scratch") == 0) in_scratch(token);
    else if (strcmp(step, "close") == 0) in_closed(0, 2);
    else if (strcmp(step, "closepreopens") == 0) in_closed(FIRST_PREOPEN, LAST_PREOPEN);
    else if (strcmp(step, "random") == 0) in_random();
    else if (strcmp(step, "clock") == 0) in_clock();
    else if (strcmp(step, "buffer") == 0) fputs(token, stdout);
    else if (strcmp(step, "atexit") == 0) atexit(say_planted);
    else return 1;
    return 0;
}
