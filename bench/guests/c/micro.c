// Functions for single measurements, linked with the reactor into a separate module: loops for the
// cost of metering, an endless guest, and a guest that sleeps in a call until its clock wakes it.

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
    slots[0] = x; // otherwise the compiler would remove the loop
    return 0;
}

// memory_loop reads and writes unpredictable addresses.
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

// recursion only makes calls.
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

// hold does the job and then sleeps.
int EXPORT(hold)(void) {
    int code = call();
    sleep(1);
    return code;
}
