// The tool as a WASI command: arguments on standard input, the result on standard
// output, or a message on standard error and exit code 1.

#include <stdio.h>
#include <stdlib.h>

#include "wordcount.h"

// read_all reads a whole stream into memory from malloc, or returns NULL.
static char *read_all(FILE *file, size_t *length) {
    size_t size = 4096;
    char *bytes = malloc(size);
    *length = 0;
    while (bytes != NULL) {
        *length += fread(bytes + *length, 1, size - *length, file);
        if (*length < size) return bytes;
        size *= 2;
        char *more = realloc(bytes, size);
        if (more == NULL) free(bytes);
        bytes = more;
    }
    return NULL;
}

int main(void) {
    size_t length;
    char *input = read_all(stdin, &length);
    if (input == NULL) {
        fputs("the arguments do not fit into memory\n", stderr);
        return EXIT_FAILURE;
    }
    char answer[ANSWER_SIZE];
    bool ok = wordcount(input, length, answer);
    free(input);
    fprintf(ok ? stdout : stderr, "%s\n", answer);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
