// Counts lines, words and bytes. The arguments are a JSON object: {"text": "..."} counts in the text,
// and {"file_path": "..."} in a file.

#include "wasmtool.h"

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

enum { MAX_SHOWN = 512 }; // bytes of a name in a message

// shown returns how many bytes of a name a message repeats: not too many, and only
// whole characters.
static int shown(const char *name) {
    size_t length = strnlen(name, MAX_SHOWN);
    while (length > 0 && (name[length] & 0xC0) == 0x80) length--;
    return (int)length;
}

// count_file returns the error of errno, or 0.
static int count_file(struct count *c, const char *path) {
    // A relative name refers to the workspace.
    FILE *file = fopen(path, "rb");
    if (file == NULL) return errno;
    char block[8192];
    size_t length;
    while ((length = fread(block, 1, sizeof block, file)) > 0) count_bytes(c, block, length);
    int error = ferror(file) ? errno : 0;
    fclose(file);
    return error;
}

static int wordcount(void) {
    wt_json arguments = wt_arguments();
    wt_json text = wt_get(arguments, "text"), path = wt_get(arguments, "file_path");
    if ((text.at != NULL) == (path.at != NULL)) return wt_fail(wt_str("give either text or file_path"));

    struct count c = {0};
    wt_bytes string;
    if (text.at != NULL) {
        if (!wt_string(text, &string)) return wt_fail(wt_str("text: this is not a string"));
        count_bytes(&c, string.data, string.size);
    } else {
        if (!wt_string(path, &string)) return wt_fail(wt_str("file_path: this is not a string"));
        // fopen would only use the name up to the NUL.
        if (strlen(string.data) < string.size) return wt_fail(wt_str("file_path: a name holds no NUL character"));
        int error = count_file(&c, string.data);
        if (error != 0)
            return wt_fail(wt_format("file_path: %.*s: %s; names are relative to the workspace", shown(string.data),
                                     string.data, strerror(error)));
    }
    return wt_output(wt_format("{\"lines\":%llu,\"words\":%llu,\"bytes\":%llu}", (unsigned long long)c.lines,
                               (unsigned long long)c.words, (unsigned long long)c.bytes));
}

WASMTOOL(wordcount)
