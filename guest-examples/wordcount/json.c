#include "json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t REPLACEMENT = 0xFFFD; // replaces an unpaired surrogate

static void skip_space(struct json *j) {
    while (j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r')) j->at++;
}

// skip consumes the character c, after any space.
static bool skip(struct json *j, char c) {
    skip_space(j);
    if (j->at == j->end || *j->at != c) return false;
    j->at++;
    return true;
}

// cut_string consumes a string with its quotes.
static bool cut_string(struct json *j, struct json *string) {
    skip_space(j);
    string->at = j->at;
    if (!skip(j, '"')) return false;
    for (; j->at < j->end; j->at++) {
        if (*j->at == '"') {
            string->end = ++j->at;
            return true;
        }
        if (*j->at == '\\' && ++j->at == j->end) return false;
    }
    return false;
}

// cut_value consumes a value of any kind, up to the comma or bracket that follows it.
static bool cut_value(struct json *j, struct json *value) {
    skip_space(j);
    value->at = j->at;
    for (size_t depth = 0; j->at < j->end;) {
        struct json string;
        switch (*j->at) {
        case '"':
            if (!cut_string(j, &string)) return false;
            continue;
        case '{':
        case '[':
            depth++;
            break;
        case '}':
        case ']':
        case ',':
            if (depth == 0) {
                value->end = j->at;
                return true;
            }
            if (*j->at != ',') depth--;
            break;
        }
        j->at++;
    }
    return false;
}

bool json_member(struct json object, const char *name, struct json *value) {
    if (!skip(&object, '{')) return false;
    do {
        struct json key, member;
        char *text;
        size_t length;
        if (!cut_string(&object, &key) || !skip(&object, ':') || !cut_value(&object, &member)) return false;
        if (!json_string(key, &text, &length)) return false;
        bool found = length == strlen(name) && memcmp(text, name, length) == 0;
        free(text);
        if (found) {
            *value = member;
            return true;
        }
    } while (skip(&object, ','));
    return false;
}

// read_unit reads the four hexadecimal digits of a \u escape.
static bool read_unit(struct json *j, uint32_t *unit) {
    if (j->end - j->at < 4) return false;
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        char c = *j->at++;
        uint32_t digit;
        if (c >= '0' && c <= '9') digit = c - '0';
        else if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
        else if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
        else return false;
        *unit = *unit << 4 | digit;
    }
    return true;
}

// read_code_point reads the escape after "\u", and the next escape if both are a
// surrogate pair.
static bool read_code_point(struct json *j, uint32_t *code) {
    if (!read_unit(j, code)) return false;
    if (*code < 0xD800 || *code > 0xDFFF) return true;
    struct json rest = *j;
    uint32_t low;
    if (*code < 0xDC00 && rest.end - rest.at >= 6 && rest.at[0] == '\\' && rest.at[1] == 'u') {
        rest.at += 2;
        if (read_unit(&rest, &low) && low >= 0xDC00 && low <= 0xDFFF) {
            *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
            *j = rest;
            return true;
        }
    }
    *code = REPLACEMENT;
    return true;
}

// write_utf8 writes one character, at most four bytes, and returns where the next goes.
static char *write_utf8(char *out, uint32_t code) {
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            *out++ = (char)(0xE0 | code >> 12);
        } else {
            *out++ = (char)(0xF0 | code >> 18);
            *out++ = (char)(0x80 | (code >> 12 & 0x3F));
        }
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
    }
    *out++ = (char)(0x80 | (code & 0x3F));
    return out;
}

// read_escape reads the escape after a backslash.
static bool read_escape(struct json *j, uint32_t *code) {
    if (j->at == j->end) return false;
    switch (*j->at++) {
    case '"': *code = '"'; return true;
    case '\\': *code = '\\'; return true;
    case '/': *code = '/'; return true;
    case 'b': *code = '\b'; return true;
    case 'f': *code = '\f'; return true;
    case 'n': *code = '\n'; return true;
    case 'r': *code = '\r'; return true;
    case 't': *code = '\t'; return true;
    case 'u': return read_code_point(j, code);
    }
    return false;
}

bool json_string(struct json value, char **text, size_t *length) {
    if (!skip(&value, '"')) return false;
    // No escape is shorter than its character, so this is enough.
    char *out = *text = malloc((size_t)(value.end - value.at) + 1);
    if (out == NULL) return false;
    while (value.at < value.end) {
        char c = *value.at++;
        uint32_t code;
        if (c == '"') {
            *out = 0;
            *length = (size_t)(out - *text);
            return true;
        }
        if (c != '\\') {
            *out++ = c;
        } else if (read_escape(&value, &code)) {
            out = write_utf8(out, code);
        } else {
            break;
        }
    }
    free(*text);
    return false;
}
