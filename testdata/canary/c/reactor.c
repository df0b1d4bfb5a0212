// The canary as a reactor.

#include "canary.h"
#include "wasmtool.h"

void answer(const char *text, size_t length) { wt_host_output_write(text, length); }

__attribute__((export_name("call"))) int call(void) {
    static char input[4096];
    return canary(input, wt_host_input_read(input, sizeof input - 1));
}
