// The report: all of memory first, before the report itself changes it.

#include "canary.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wasi/api.h>

#include "report.h"

enum { LAST_DESCRIPTOR = 40, FIRST_PREOPEN = 3, LAST_PREOPEN = 7, PAGE = 1 << 16, MOST_FOUND = 64, TOKEN_DIGITS = 16 };

// Tokens are compared in code, because the search would find a string in memory.
static bool is_token(const char *at) { return at[0] == 'C' && at[1] == 'N' && at[2] == 'R' && at[3] == 'Y' && at[4] == '-'; }

static uint64_t hash_of(const char *start, const char *end) {
    uint64_t hash = 14695981039346656037u;
    for (const uint64_t *word = (const uint64_t *)start; (const char *)word < end; word++) hash = (hash ^ *word) * 1099511628211u;
    return hash;
}

static void look_at_memory(void) {
    size_t pages = __builtin_wasm_memory_size(0);
    say("pages");
    say_number(pages);
    const char *volatile base = 0;
    const char *start = base, *end = start + pages * PAGE;
    say("\nhash");
    say_number(hash_of(start, end));
    int found = 0;
    for (const char *at = start; at < end - 5 - TOKEN_DIGITS && found < MOST_FOUND; at++) {
        if (!is_token(at)) continue;
        say("\nfound");
        say_number(at - start);
        say(" ");
        say_bytes(at + 5, TOKEN_DIGITS);
        found++;
    }
}

// look_at_state reports the state of the language runtime.
static void look_at_state(void) {
    say("\nstatic ");
    say(planted);
    say("\nenv ");
    const char *value = getenv("CANARY");
    say(value != NULL ? value : "none");
    volatile char local = 0;
    say("\nstack");
    say_number((uintptr_t)&local);
    say("\nheap");
    say_number((uintptr_t)malloc(100));
    say("\nrand");
    say_number(rand());
}

static void look_at_descriptors(void) {
    for (int fd = 0; fd <= LAST_DESCRIPTOR; fd++) {
        __wasi_fdstat_t stat;
        if (__wasi_fd_fdstat_get(fd, &stat) != 0) continue;
        say("\nfd");
        say_number(fd);
        say_number(stat.fs_filetype);
        say_number(stat.fs_flags);
    }
}

// look_at_listing lists the entries from a cookie on, and reports their names.
static void look_at_listing(int fd, uint64_t cookie) {
    static uint8_t entries[1024];
    __wasi_size_t used = 0;
    __wasi_errno_t err = __wasi_fd_readdir(fd, entries, sizeof entries, cookie, &used);
    say("\nlist");
    say_number(fd);
    say_number(cookie);
    say_number(err);
    __wasi_dirent_t entry;
    for (size_t at = 0; err == 0 && at + sizeof entry <= used; at += sizeof entry + entry.d_namlen) {
        memcpy(&entry, entries + at, sizeof entry);
        if (at + sizeof entry + entry.d_namlen > used) break;
        say(" ");
        say_bytes(entries + at + sizeof entry, entry.d_namlen);
    }
}

static void look_at_host(void) {
    uint64_t drawn[2] = {0};
    (void)!__wasi_random_get((uint8_t *)drawn, sizeof drawn);
    say("\ndraw");
    say_number(drawn[0]);
    say_number(drawn[1]);
    const __wasi_clockid_t clocks[] = {__WASI_CLOCKID_REALTIME, __WASI_CLOCKID_MONOTONIC};
    for (int i = 0; i < 4; i++) {
        __wasi_timestamp_t now = 0;
        (void)!__wasi_clock_time_get(clocks[i % 2], 1, &now);
        say("\nclock");
        say_number(now);
    }
}

// look_at_more reports the content of newly grown memory.
static void look_at_more(size_t pages) {
    size_t old = __builtin_wasm_memory_grow(0, pages);
    say("\ngrow");
    say_number(old);
    if (old == SIZE_MAX) return;
    say_number(hash_of((const char *)(old * PAGE), (const char *)((old + pages) * PAGE)));
}

void look(uint32_t pages) {
    look_at_memory();
    look_at_state();
    look_at_descriptors();
    for (int fd = FIRST_PREOPEN; fd <= LAST_PREOPEN; fd++) {
        look_at_listing(fd, 3);
        look_at_listing(fd, 0);
    }
    look_at_host();
    look_at_more(pages);
    say("\n");
    answer(report, report_length);
}
