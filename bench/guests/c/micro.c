// What the measurements need beside the job, linked with the reactor into a module of
// its own: loops of known kinds for the price of metering, a guest that never ends,
// and one that stays alive in a call until its clock says otherwise.

#include <stdint.h>
#include <unistd.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

enum { SLOTS = 4096 };
static uint32_t slots[SLOTS];

// registers is arithmetic that touches no memory.
int EXPORT(registers)(void) {
    uint32_t x = 12345;
    for (int i = 0; i < 5000000; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    slots[0] = x; // or the compiler would leave the loop out
    return 0;
}

// memory reads and writes places that it cannot foresee.
int EXPORT(memory_loop)(void) {
    uint32_t x = 1;
    for (int i = 0; i < 2500000; i++) {
        slots[x % SLOTS] += x;
        x = x * 1664525u + slots[(x >> 8) % SLOTS] + 1013904223u;
    }
    slots[0] = x;
    return 0;
}

static uint32_t fibonacci(uint32_t n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

// recursion is nothing but calls.
int EXPORT(recursion)(void) {
    slots[0] = fibonacci(27);
    return 0;
}

int EXPORT(spin)(void) {
    for (volatile int x = 1; x;) {
    }
    return 0;
}

int call(void);

// hold does the job, then sleeps.
int EXPORT(hold)(void) {
    int code = call();
    sleep(1);
    return code;
}
