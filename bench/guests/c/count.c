#include "count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wasmtool.h"

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool count(const char *input, size_t length, char answer[ANSWER_SIZE]) {
    wt_bytes string;
    if (!wt_string(wt_get(wt_value((wt_bytes){(char *)input, length, 0}), "text"), &string)) {
        strcpy(answer, "text: missing");
        return false;
    }
    char *text = string.data;
    size_t size = string.size, lines = 0, words = 0, letters = 0, word = 0, longest = 0;
    for (size_t i = 0; i < size; i++) {
        if (i == 0 || text[i - 1] == '\n') lines++;
        if (is_letter(text[i])) letters++;
        if (is_space(text[i])) {
            word = 0;
            continue;
        }
        if (word++ == 0) words++;
        if (word > longest) longest = word;
    }
    free(text);
    snprintf(answer, ANSWER_SIZE, "{\"lines\":%zu,\"words\":%zu,\"bytes\":%zu,\"letters\":%zu,\"longest\":%zu}",
             lines, words, size, letters, longest);
    return true;
}
