// The tool as a reactor: wasmtool calls the exported function "call".

#include <stdlib.h>
#include <string.h>

#include "wasmtool.h"
#include "wordcount.h"

__attribute__((export_name("call"))) int call(void) {
    char answer[ANSWER_SIZE];
    bool ok = false;
    size_t length = input_len();
    char *input = malloc(length + 1); // malloc(0) may return NULL
    if (input == NULL) {
        strcpy(answer, "the arguments do not fit into memory");
    } else {
        length = input_read(input, length);
        ok = wordcount(input, length, answer);
        free(input);
    }
    if (ok) {
        output_write(answer, strlen(answer));
    } else {
        error_write(answer, strlen(answer));
    }
    return ok ? 0 : 1;
}
