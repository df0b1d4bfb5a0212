// The job as a wasmtool reactor. It exports "call".

#include <stdlib.h>
#include <string.h>

#include "count.h"
#include "wasmtool.h"

__attribute__((export_name("call"))) int call(void) {
    char answer[ANSWER_SIZE];
    size_t length = wt_host_input_len();
    char *input = malloc(length + 1); // malloc(0) may return NULL
    if (input == NULL) return 1;
    bool ok = count(input, wt_host_input_read(input, length), answer);
    free(input);
    (ok ? wt_host_output_write : wt_host_error_write)(answer, strlen(answer));
    return ok ? 0 : 1;
}
