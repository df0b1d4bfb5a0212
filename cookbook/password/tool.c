// password makes a random password. It is a command with two arguments, and needs no SDK.
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char LETTERS[] = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
static const char SYMBOLS[] = "!#$%&*+-./:;<=>?@_~";

// below returns a random number below n. The remainder of a byte would prefer small numbers, so
// bytes past the last whole multiple of n are dropped.
static unsigned below(unsigned n) {
    for (;;) {
        uint8_t byte;
        if (getentropy(&byte, 1) != 0) {
            fprintf(stderr, "no random numbers: %s\n", strerror(errno));
            exit(1);
        }
        if (byte < 256 / n * n) return byte % n;
    }
}

int main(int argc, char *argv[]) {
    if (argc != 3) {
        fputs("give the length, and true or false for symbols\n", stderr);
        return 1;
    }
    char alphabet[128];
    snprintf(alphabet, sizeof alphabet, "%s%s", LETTERS, strcmp(argv[2], "true") == 0 ? SYMBOLS : "");
    int length = atoi(argv[1]); // the host has checked it
    unsigned size = (unsigned)strlen(alphabet);
    for (int i = 0; i < length; i++) putchar(alphabet[below(size)]);
    printf("\n%d characters, %.0f bits\n", length, floor(length * log2(size)));
    return 0;
}
