// The tool gets its arguments as a JSON object, and writes the result. wasmtool.h has http, kv, log,
// progress and more.
#include "wasmtool.h"

#include <ctype.h>

static int count(void) {
    wt_bytes text;
    if (!wt_string(wt_get(wt_arguments(), "text"), &text)) return wt_fail(wt_str("text: give a string"));
    int words = 0, inside = 0;
    for (size_t i = 0; i < text.size; i++) {
        int space = isspace((unsigned char)text.data[i]);
        if (!space && !inside) words++;
        inside = !space;
    }
    if (words == 0) return wt_fail(wt_str("the text has no words")); // the message is for the model
    return wt_output(wt_format("%d", words));
}

WASMTOOL(count)
