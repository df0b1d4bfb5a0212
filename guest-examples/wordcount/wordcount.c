#include "wordcount.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

// The counts so far. Text may come in pieces that end anywhere.
struct count {
    uint64_t lines, words, bytes;
    bool in_line; // the last line has no line feed yet
    bool in_word;
};

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void count_bytes(struct count *c, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        bool space = is_space(bytes[i]);
        if (!space && !c->in_word) c->words++;
        if (!c->in_line) c->lines++;
        c->in_word = !space;
        c->in_line = bytes[i] != '\n';
    }
    c->bytes += length;
}

// fail writes the message of a failure and returns false.
static bool fail(char *answer, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(answer, ANSWER_SIZE, format, values);
    va_end(values);
    return false;
}

// shown returns how many bytes of a name a message repeats: not too many, and only
// whole characters.
static int shown(const char *name) {
    size_t length = strnlen(name, ANSWER_SIZE / 2);
    while (length > 0 && (name[length] & 0xC0) == 0x80) length--;
    return (int)length;
}

static bool count_file(struct count *c, const char *path, char *answer) {
    // A relative name refers to the workspace.
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail(answer, "file_path: %.*s: %s; names are relative to the workspace", shown(path), path,
                    strerror(errno));
    }
    char block[8192];
    size_t length;
    while ((length = fread(block, 1, sizeof block, file)) > 0) count_bytes(c, block, length);
    int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error != 0) return fail(answer, "file_path: %.*s: %s", shown(path), path, strerror(error));
    return true;
}

bool wordcount(const char *input, size_t length, char answer[ANSWER_SIZE]) {
    struct json arguments = {input, input + length}, value;
    bool has_text = json_member(arguments, "text", &value);
    bool has_file = json_member(arguments, "file_path", &value);
    if (has_text == has_file) return fail(answer, "give either text or file_path");

    const char *name = has_text ? "text" : "file_path";
    char *string;
    size_t size;
    json_member(arguments, name, &value);
    if (!json_string(value, &string, &size)) return fail(answer, "%s: this is no text", name);

    struct count c = {0};
    bool ok = true;
    if (has_text) {
        count_bytes(&c, string, size);
    } else if (memchr(string, 0, size) != NULL) {
        // fopen would only use the name up to the NUL.
        ok = fail(answer, "file_path: a name holds no NUL character");
    } else {
        ok = count_file(&c, string, answer);
    }
    free(string);
    if (!ok) return false;
    snprintf(answer, ANSWER_SIZE, "{\"lines\":%llu,\"words\":%llu,\"bytes\":%llu}", (unsigned long long)c.lines,
             (unsigned long long)c.words, (unsigned long long)c.bytes);
    return true;
}
