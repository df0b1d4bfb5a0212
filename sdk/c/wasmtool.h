// wasmtool.h is the SDK for tools in C11 and later. Copy this file into your tool; it needs clang
// and a C library for WASI. A tool is a function, and the same source builds as a command and, with
// -mexec-model=reactor, as a reactor:
//
//     #include "wasmtool.h"
//
//     static int greet(void) {
//         wt_bytes name;
//         if (!wt_string(wt_get(wt_arguments(), "name"), &name)) return wt_fail(wt_str("name: give a string"));
//         return wt_output(name);
//     }
//     WASMTOOL(greet)
//
// Memory comes from malloc. A tool need not free it, because the host resets the module after each
// call. If there is no memory left, the call fails. Files are opened with fopen, like in any program.
// docs/sdks.md of wasmtool lists the functions, and docs/abi.md explains what the host does.

#ifndef WASMTOOL_H
#define WASMTOOL_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// WASMTOOL makes the function tool, which takes no arguments, the program. It returns 0, or the
// result of wt_fail.
#define WASMTOOL(tool)                                                                                                 \
    __attribute__((export_name("call"))) int32_t wt_call(void) {                                                       \
        wt_is_reactor = true;                                                                                          \
        return tool();                                                                                                 \
    }                                                                                                                  \
    int main(void) { return tool(); }

// wt_is_reactor says that this is a call of a reactor. Weak, so that all source files share it.
__attribute__((weak)) bool wt_is_reactor;

// Bytes or UTF-8. The functions that append need a buffer that began as {0}.
typedef struct {
    char *data;
    size_t size, room;
} wt_bytes;

// A value in a JSON text, from at up to end. at is NULL if there is no value.
typedef struct {
    const char *at, *end;
} wt_json;

// Negative results of functions. Treat an unknown one as WT_UNAVAILABLE. wt_why explains the last.
enum { WT_DENIED = -1, WT_NOT_FOUND = -2, WT_INVALID = -3, WT_TOO_MUCH = -4, WT_UNAVAILABLE = -5, WT_TIMEOUT = -6 };

enum { WT_DEBUG, WT_INFO, WT_WARN, WT_ERROR }; // levels of wt_log

// The functions of the host. Some are the functions of this SDK: the four for many files at once are
// used with wt_file and have no other form here.
#ifdef __wasm__
#define WT_IMPORT(name) __attribute__((import_module("wasmtool_v1"), import_name(#name)))
#else // a test on another system, which has no host: only the functions without it work
#define WT_IMPORT(name) __attribute__((weak))
#endif
WT_IMPORT(input_len) uint32_t wt_host_input_len(void);
WT_IMPORT(input_read) uint32_t wt_host_input_read(void *, size_t);
WT_IMPORT(output_write) int32_t wt_host_output_write(const void *, size_t);
WT_IMPORT(error_write) int32_t wt_host_error_write(const void *, size_t);
WT_IMPORT(log) int32_t wt_host_log(int32_t, const void *, size_t);
WT_IMPORT(progress) int32_t wt_host_progress(double, double, const void *, size_t);
WT_IMPORT(update) int32_t wt_host_update(const void *, size_t);
WT_IMPORT(context_read) int32_t wt_host_context_read(void *, size_t);
WT_IMPORT(cancelled) int32_t wt_cancelled(void); // does not return if the call was cancelled
WT_IMPORT(sha256) int32_t wt_host_sha256(const void *, size_t, void *, size_t);
WT_IMPORT(http_request) int32_t wt_host_http_request(const void *, size_t, const void *, size_t);
WT_IMPORT(http_head) int32_t wt_host_http_head(int32_t, void *, size_t);
WT_IMPORT(http_read) int32_t wt_host_http_read(int32_t, void *, size_t);
WT_IMPORT(http_close) int32_t wt_host_http_close(int32_t);
WT_IMPORT(secret_exists) int32_t wt_host_secret_exists(const void *, size_t);
WT_IMPORT(kv_get) int32_t wt_host_kv_get(const void *, size_t, void *, size_t);
WT_IMPORT(kv_put) int32_t wt_host_kv_put(const void *, size_t, const void *, size_t);
WT_IMPORT(kv_delete) int32_t wt_host_kv_delete(const void *, size_t);
WT_IMPORT(kv_swap) int32_t wt_host_kv_swap(const void *, size_t, const void *, size_t, const void *, size_t);
WT_IMPORT(kv_list) int32_t wt_host_kv_list(const void *, size_t, const void *, size_t, void *, size_t);
WT_IMPORT(tool_call) int32_t wt_host_tool_call(const void *, size_t, const void *, size_t);
WT_IMPORT(tool_result) int32_t wt_host_tool_result(void *, size_t);
WT_IMPORT(fault_read) int32_t wt_host_fault_read(void *, size_t);
WT_IMPORT(files_stat) int32_t wt_files_stat(const char *names, size_t names_size, void *room, size_t room_size);
WT_IMPORT(files_list) int32_t wt_files_list(const char *names, size_t names_size, void *room, size_t room_size);
WT_IMPORT(files_read)
int32_t wt_files_read(const char *names, size_t names_size, size_t limit, void *room, size_t room_size);
WT_IMPORT(files_replace)
int32_t wt_files_replace(const char *name, size_t name_size, const void *seen, size_t seen_size, const void *content,
                         size_t size);

// A record that wt_files_stat, wt_files_list and wt_files_read write at the start of room.
typedef struct {
    uint32_t error, type;
    uint64_t size, time;
    uint32_t offset, length;
} wt_file;

// ---- Bytes and the writer of JSON

static inline wt_bytes wt_str(const char *text) { return (wt_bytes){(char *)text, strlen(text), 0}; }

// wt_fail ends the call with a message for the model; the caller returns its result, 1.
static inline int wt_fail(wt_bytes message) {
    if (wt_is_reactor) wt_host_error_write(message.data, message.size);
    else (void)!write(2, message.data, message.size);
    return 1;
}

_Noreturn static inline void wt_die(const char *message) { exit(wt_fail(wt_str(message))); }

// wt_grow makes room for more bytes and a NUL after them.
static inline void wt_grow(wt_bytes *b, size_t more) {
    size_t need = b->size + more + 1, room = need > 2 * b->room ? need : 2 * b->room;
    if (need <= b->room && need > more) return;
    if (need <= more || (b->data = realloc(b->data, room)) == NULL) wt_die("there is not enough memory");
    b->room = room;
}

static inline void wt_add(wt_bytes *b, const void *data, size_t size) {
    wt_grow(b, size);
    if (size > 0) memcpy(b->data + b->size, data, size);
    b->size += size;
    b->data[b->size] = 0;
}

static inline void wt_add_text(wt_bytes *b, const char *text) { wt_add(b, text, strlen(text)); }

// wt_format returns text that is made like by printf.
__attribute__((format(printf, 1, 2))) static inline wt_bytes wt_format(const char *format, ...) {
    wt_bytes b = {0};
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (size <= 0) return wt_str("");
    wt_grow(&b, (size_t)size);
    va_start(args, format);
    b.size = (size_t)vsnprintf(b.data, b.room, format, args);
    va_end(args);
    return b;
}

// wt_add_char appends a character as UTF-8.
static inline void wt_add_char(wt_bytes *b, uint32_t c) {
    if (c < 0x80) {
        wt_add(b, (char[]){(char)c}, 1);
        return;
    }
    size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3; // bytes after the first one
    wt_add(b, (char[]){(char)((more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0) | c >> 6 * more)}, 1);
    while (more-- > 0) wt_add(b, (char[]){(char)(0x80 | (c >> 6 * more & 63))}, 1);
}

// wt_char returns the length of the character at the start of text, or 0 if it is not UTF-8.
static inline size_t wt_char(const char *text, size_t size) {
    unsigned char c = (unsigned char)text[0], d = size > 1 ? (unsigned char)text[1] : 0;
    size_t n = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
    if (n > size || (c == 0xE0 && d < 0xA0) || (c == 0xED && d > 0x9F) || (c == 0xF0 && d < 0x90) ||
        (c == 0xF4 && d > 0x8F))
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((text[i] & 0xC0) != 0x80) return 0;
    return n;
}

static const char WT_ESCAPED[] = "\b\f\n\r\t", WT_ESCAPES[] = "bfnrt";

// wt_add_string appends a JSON string. Bytes that are not UTF-8 become U+FFFD.
static inline void wt_add_string(wt_bytes *b, wt_bytes text) {
    size_t plain = 0; // the start of what is not added yet
    wt_add_text(b, "\"");
    for (size_t i = 0, n; i < text.size; i += n > 0 ? n : 1) {
        n = wt_char(text.data + i, text.size - i);
        unsigned char c = (unsigned char)text.data[i];
        if (n > 0 && c >= 0x20 && c != '"' && c != '\\') continue;
        const char *name = memchr(WT_ESCAPED, c, 5);
        wt_add(b, text.data + plain, i - plain);
        plain = i + 1;
        if (n == 0) wt_add_text(b, "\\ufffd");
        else if (name != NULL) wt_add(b, (char[]){'\\', WT_ESCAPES[name - WT_ESCAPED]}, 2);
        else if (c < 0x20) wt_add(b, (char[]){'\\', 'u', '0', '0', (char)('0' + c / 16), "0123456789abcdef"[c % 16]}, 6);
        else wt_add(b, (char[]){'\\', (char)c}, 2);
    }
    wt_add(b, text.data + plain, text.size - plain);
    wt_add_text(b, "\"");
}

// wt_add_base64 appends bytes as a JSON string in Base64.
static inline void wt_add_base64(wt_bytes *b, wt_bytes data) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *p = (const unsigned char *)data.data;
    wt_add_text(b, "\"");
    for (size_t i = 0; i < data.size; i += 3) {
        size_t n = data.size - i;
        uint32_t v = (uint32_t)p[i] << 16 | (n > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (n > 2 ? p[i + 2] : 0);
        wt_add(b, (char[]){digits[v >> 18], digits[v >> 12 & 63], n > 1 ? digits[v >> 6 & 63] : '=', n > 2 ? digits[v & 63] : '='}, 4);
    }
    wt_add_text(b, "\"");
}

// wt_name appends the name of a member, after a comma if one is needed.
static inline void wt_name(wt_bytes *b, const char *name) {
    if (b->size > 0 && strchr("{[:", b->data[b->size - 1]) == NULL) wt_add_text(b, ",");
    wt_add_string(b, wt_str(name));
    wt_add_text(b, ":");
}

// wt_add_field appends a member with a string, and wt_add_raw one with JSON, unless it is empty.
static inline void wt_add_field(wt_bytes *b, const char *name, wt_bytes text) {
    wt_name(b, name);
    wt_add_string(b, text);
}

static inline void wt_add_raw(wt_bytes *b, const char *name, wt_bytes json) {
    if (json.size == 0) return;
    wt_name(b, name);
    wt_add(b, json.data, json.size);
}

// ---- The reader of JSON. The host's JSON is valid. Of other texts, the reader may accept more than
// JSON, but it never reads past their end.

static inline bool wt_is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// wt_value returns the value that a text contains.
static inline wt_json wt_value(wt_bytes text) {
    wt_json v = {text.data, text.data + text.size};
    while (v.at < v.end && wt_is_space(*v.at)) v.at++;
    while (v.at < v.end && wt_is_space(v.end[-1])) v.end--;
    return v;
}

// wt_skip consumes the character c, after any space.
static inline bool wt_skip(wt_json *j, char c) {
    while (j->at < j->end && wt_is_space(*j->at)) j->at++;
    if (j->at == j->end || *j->at != c) return false;
    j->at++;
    return true;
}

// wt_cut consumes a value up to the comma, colon or bracket after it.
static inline bool wt_cut(wt_json *j, wt_json *value) {
    const char *start = j->at;
    for (size_t depth = 0; j->at < j->end; j->at++) {
        char c = *j->at;
        if (c == '"') {
            while (++j->at < j->end && *j->at != '"')
                if (*j->at == '\\') j->at++;
            if (j->at >= j->end) break;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (depth == 0 && (c == ',' || c == ':' || c == '}' || c == ']')) {
            *value = wt_value((wt_bytes){(char *)start, (size_t)(j->at - start), 0});
            return value->at < value->end;
        } else if (c == '}' || c == ']') {
            depth--;
        }
    }
    j->at = j->end;
    return false;
}

// wt_next sets element to the next element of a list, and list to the rest after it. It returns
// false at the end, or if the value is not a list.
static inline bool wt_next(wt_json *list, wt_json *element) {
    return (wt_skip(list, '[') || wt_skip(list, ',')) && wt_cut(list, element);
}

// wt_unit reads the four digits of an escape, or returns UINT32_MAX.
static inline uint32_t wt_unit(wt_json v) {
    uint32_t unit = 0;
    if (v.end - v.at < 4) return UINT32_MAX;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = memchr(digits, v.at[i], 32);
        if (digit == NULL) return UINT32_MAX;
        unit = unit << 4 | ((uint32_t)(digit - digits) & 15);
    }
    return unit;
}

// wt_string decodes a string. text gets a NUL at the end, and may contain others. It returns false
// if the value is not a string.
static inline bool wt_string(wt_json v, wt_bytes *text) {
    if (!wt_skip(&v, '"')) return false;
    *text = (wt_bytes){0};
    wt_grow(text, (size_t)(v.end - v.at)); // no escape is shorter than its character
    uint32_t high = 0; // the first half of a pair
    for (; v.at < v.end && *v.at != '"'; v.at++) {
        uint32_t before = high;
        high = 0;
        if (*v.at != '\\') {
            const char *start = v.at;
            while (v.at + 1 < v.end && v.at[1] != '"' && v.at[1] != '\\') v.at++;
            wt_add(text, start, (size_t)(v.at + 1 - start));
            continue;
        }
        if (++v.at == v.end) break;
        if (*v.at != 'u') {
            const char *name = memchr(WT_ESCAPES, *v.at, 5);
            wt_add(text, name != NULL ? WT_ESCAPED + (name - WT_ESCAPES) : v.at, 1);
            continue;
        }
        uint32_t unit = wt_unit((wt_json){v.at + 1, v.end});
        if (unit == UINT32_MAX) break;
        v.at += 4;
        if (before != 0 && unit >= 0xDC00 && unit < 0xE000) {
            unit = 0x10000 + ((before - 0xD800) << 10) + (unit - 0xDC00);
            text->size -= 3; // the U+FFFD of the first half
        } else if (unit >= 0xD800 && unit < 0xE000) {
            if (unit < 0xDC00) high = unit;
            unit = 0xFFFD;
        }
        wt_add_char(text, unit);
    }
    if (v.at < v.end && *v.at == '"') return true;
    free(text->data);
    return false;
}

// wt_get returns the value of a member of an object. Without the member, at is NULL.
static inline wt_json wt_get(wt_json object, const char *name) {
    for (bool more = wt_skip(&object, '{'); more; more = wt_skip(&object, ',')) {
        wt_json key, value;
        wt_bytes text;
        if (!wt_cut(&object, &key) || !wt_skip(&object, ':') || !wt_cut(&object, &value) || !wt_string(key, &text)) break;
        bool found = text.size == strlen(name) && memcmp(text.data, name, text.size) == 0;
        free(text.data);
        if (found) return value;
    }
    return (wt_json){NULL, NULL};
}

// wt_is reports whether a value is exactly this word: true, false or null.
static inline bool wt_is(wt_json v, const char *word) {
    return v.at != NULL && (size_t)(v.end - v.at) == strlen(word) && memcmp(v.at, word, strlen(word)) == 0;
}

// wt_number reads a number. It returns false for anything else.
static inline bool wt_number(wt_json v, double *number) {
    char text[64] = "", *end;
    size_t size = (size_t)(v.end - v.at);
    if (size == 0 || size >= sizeof text || (*v.at != '-' && (*v.at < '0' || *v.at > '9'))) return false;
    memcpy(text, v.at, size);
    if (strspn(text, "+-.0123456789eE") != size) return false;
    *number = strtod(text, &end);
    return end == text + size;
}

// wt_int reads a whole number in any spelling, such as 5, 5.0 or 5e0. The last two spellings are
// exact up to 2^53. It returns false for a number that does not fit, and for anything else.
static inline bool wt_int(wt_json v, int64_t *number) {
    double d;
    char text[64] = "", *end;
    if (!wt_number(v, &d)) return false;
    memcpy(text, v.at, (size_t)(v.end - v.at));
    errno = 0;
    *number = strtoll(text, &end, 10);
    if (*end == 0) return errno == 0;
    if (d < -9007199254740992.0 || d > 9007199254740992.0 || d != (double)(int64_t)d) return false;
    *number = (int64_t)d;
    return true;
}

// ---- Input, result and errors

// Why a function of the host failed. kind is one word, such as "denied", and sent says that a request
// may have reached a server.
typedef struct {
    int code;
    const char *kind, *message;
    bool sent;
} wt_error;

// wt_more makes room for what a function of the host returned: its full length, or a code. It returns
// true if the function must be called again.
static inline bool wt_more(wt_bytes *b, int32_t full) {
    if (full > 0 && (size_t)full >= b->room) {
        wt_grow(b, (size_t)full);
        return true;
    }
    wt_grow(b, 0);
    b->size = full > 0 ? (size_t)full : 0;
    b->data[b->size] = 0;
    return false;
}

// WT_READ calls a function until all that it returns fits into the buffer b, and sets n.
#define WT_READ(b, n, call)                                                                                            \
    do {                                                                                                               \
        n = call;                                                                                                      \
    } while (wt_more(&b, n))

// wt_why explains the negative result of the function that failed last.
static inline wt_error wt_why(int code) {
    wt_bytes fault = {0}, kind, message;
    int32_t n;
    WT_READ(fault, n, wt_host_fault_read(fault.data, fault.room));
    wt_json v = wt_value(fault);
    if (!wt_string(wt_get(v, "kind"), &kind)) kind = wt_str("unavailable");
    if (!wt_string(wt_get(v, "message"), &message)) message = wt_str("the host refused");
    return (wt_error){code, kind.data, message.data, wt_is(wt_get(v, "sent"), "true")};
}

// wt_input returns the whole input, which can be read once.
static inline wt_bytes wt_input(void) {
    wt_bytes in = {0};
    for (ptrdiff_t n = 1; n > 0; in.size += (size_t)n) {
        wt_grow(&in, wt_is_reactor ? wt_host_input_len() - in.size + 1 : 16384);
        size_t room = in.room - in.size - 1;
        n = wt_is_reactor ? (ptrdiff_t)wt_host_input_read(in.data + in.size, room) : read(0, in.data + in.size, room);
        if (n < 0) wt_die("the input cannot be read");
    }
    in.data[in.size] = 0;
    return in;
}

// wt_arguments returns the input as JSON.
static inline wt_json wt_arguments(void) { return wt_value(wt_input()); }

// wt_output appends to the output, in the form that module.output of the manifest names. Returns 0.
static inline int wt_output(wt_bytes data) {
    if (wt_is_reactor) return wt_host_output_write(data.data, data.size);
    for (ptrdiff_t n; data.size > 0; data.data += n, data.size -= (size_t)n) {
        n = write(1, data.data, data.size);
        if (n < 0) wt_die("the output cannot be written");
    }
    return 0;
}

// A result with content blocks, for module.output = "result". Begin with {0}. structured and metadata
// are JSON, and may be empty like title.
typedef struct {
    wt_bytes content, structured, title, metadata;
    bool is_error;
} wt_result;

static inline void wt_block(wt_result *r, const char *type) {
    wt_add_text(&r->content, r->content.size > 0 ? ",{" : "{");
    wt_add_field(&r->content, "type", wt_str(type));
}

static inline void wt_text(wt_result *r, wt_bytes text) {
    wt_block(r, "text");
    wt_add_field(&r->content, "text", text);
    wt_add_text(&r->content, "}");
}

// wt_media adds a file of the type "image" or "audio".
static inline void wt_media(wt_result *r, const char *type, wt_bytes data, const char *mime) {
    wt_block(r, type);
    wt_name(&r->content, "data");
    wt_add_base64(&r->content, data);
    wt_add_field(&r->content, "mimeType", wt_str(mime));
    wt_add_text(&r->content, "}");
}

// wt_resource adds a resource with a URI. Its content is a text, or a file if is_file is true.
static inline void wt_resource(wt_result *r, const char *uri, const char *mime, wt_bytes content, bool is_file) {
    wt_block(r, "resource");
    wt_add_text(&r->content, ",\"resource\":{");
    wt_add_field(&r->content, "uri", wt_str(uri));
    wt_add_field(&r->content, "mimeType", wt_str(mime));
    wt_name(&r->content, is_file ? "blob" : "text");
    is_file ? wt_add_base64(&r->content, content) : wt_add_string(&r->content, content);
    wt_add_text(&r->content, "}}");
}

// wt_finish writes the result. Returns 0.
static inline int wt_finish(const wt_result *r) {
    wt_bytes out = {0};
    wt_add_text(&out, "{\"content\":[");
    wt_add(&out, r->content.data, r->content.size);
    wt_add_text(&out, "]");
    wt_add_raw(&out, "is_error", wt_str(r->is_error ? "true" : ""));
    wt_add_raw(&out, "structured", r->structured);
    wt_add_raw(&out, "metadata", r->metadata);
    if (r->title.size > 0) wt_add_field(&out, "title", r->title);
    wt_add_text(&out, "}");
    return wt_output(out);
}

// ---- The call, other tools and files

static inline void wt_log(int level, wt_bytes line) { wt_host_log(level, line.data, line.size); }

static inline void wt_progress(double done, double total, wt_bytes message) {
    wt_host_progress(done, total, message.data, message.size);
}

// wt_update reports a title, and metadata as a JSON object; each may be empty. Returns 0 or a code.
static inline int wt_update(wt_bytes title, wt_bytes metadata) {
    wt_bytes out = {0};
    wt_add_text(&out, "{");
    wt_add_field(&out, "title", title);
    wt_add_raw(&out, "metadata", metadata);
    wt_add_text(&out, "}");
    return wt_host_update(out.data, out.size);
}

// wt_partial reports the result so far, which replaces the earlier one. Returns 0 or a code.
static inline int wt_partial(wt_bytes text) {
    wt_bytes out = {0};
    wt_add_text(&out, "{\"content\":[{\"type\":\"text\"");
    wt_add_field(&out, "text", text);
    wt_add_text(&out, "}]}");
    return wt_host_update(out.data, out.size);
}

// wt_context returns the object that describes the call.
static inline wt_json wt_context(void) {
    wt_bytes b = {0};
    int32_t n;
    WT_READ(b, n, wt_host_context_read(b.data, b.room));
    return wt_value(b);
}

// wt_tool_call calls another tool with a JSON object and sets result to its result. Returns 0 or a code.
static inline int wt_tool_call(wt_bytes name, wt_bytes arguments, wt_json *result) {
    wt_bytes b = {0};
    int32_t n = wt_host_tool_call(name.data, name.size, arguments.data, arguments.size);
    if (n >= 0) WT_READ(b, n, wt_host_tool_result(b.data, b.room));
    *result = wt_value(b);
    return n < 0 ? n : 0;
}

// wt_replace replaces a file completely or not at all. seen is NULL, or the record of the file that
// must not have changed. Returns 0, a number of WASI's errors, or a code.
static inline int wt_replace(wt_bytes path, wt_bytes content, const wt_file *seen) {
    return wt_files_replace(path.data, path.size, seen, seen != NULL ? sizeof *seen : 0, content.data, content.size);
}

// wt_sha256 returns 0 or a code.
static inline int wt_sha256(wt_bytes data, uint8_t digest[32]) {
    int32_t n = wt_host_sha256(data.data, data.size, digest, 32);
    return n < 0 ? n : 0;
}

static inline bool wt_secret_exists(wt_bytes name) { return wt_host_secret_exists(name.data, name.size) == 1; }

// ---- The store. The functions return 0 or a code.

static inline int wt_kv_get(wt_bytes key, wt_bytes *value) {
    int32_t n;
    *value = (wt_bytes){0};
    WT_READ((*value), n, wt_host_kv_get(key.data, key.size, value->data, value->room));
    return n < 0 ? n : 0;
}

static inline int wt_kv_put(wt_bytes key, wt_bytes value) {
    return wt_host_kv_put(key.data, key.size, value.data, value.size);
}

static inline int wt_kv_delete(wt_bytes key) { return wt_host_kv_delete(key.data, key.size); }

// wt_kv_swap sets a key to value if its value is old, where NULL means no value. Returns 1 if it did, 0
// if not, or a code.
static inline int wt_kv_swap(wt_bytes key, const wt_bytes *old, const wt_bytes *value) {
    return wt_host_kv_swap(key.data, key.size, old ? old->data : NULL, old ? old->size : SIZE_MAX,
                           value ? value->data : NULL, value ? value->size : SIZE_MAX);
}

// wt_kv_list sets keys to a list of up to 1000 keys with a prefix that sort after another key.
static inline int wt_kv_list(wt_bytes prefix, wt_bytes after, wt_json *keys) {
    wt_bytes b = {0};
    int32_t n;
    WT_READ(b, n, wt_host_kv_list(prefix.data, prefix.size, after.data, after.size, b.data, b.room));
    *keys = wt_value(b);
    return n < 0 ? n : 0;
}

// ---- HTTP

// headers has names and values in turn, and count is their number together. manual returns a redirect
// as the response.
typedef struct {
    wt_bytes method, url, body;
    const wt_bytes *headers;
    size_t count;
    bool manual;
} wt_request;

// head has status, url and headers.
typedef struct {
    int32_t handle;
    int64_t status;
    wt_json head;
} wt_response;

// wt_http sends a request and waits for the head of the response. Returns 0 or a code.
static inline int wt_http(wt_request q, wt_response *r) {
    wt_bytes out = {0}, head = {0};
    wt_add_text(&out, "{");
    wt_add_field(&out, "method", q.method);
    wt_add_field(&out, "url", q.url);
    wt_add_field(&out, "redirect", wt_str(q.manual ? "manual" : "follow"));
    wt_add_text(&out, ",\"headers\":[");
    for (size_t i = 0; i + 1 < q.count; i += 2) {
        wt_add_text(&out, i > 0 ? ",[" : "[");
        wt_add_string(&out, q.headers[i]);
        wt_add_text(&out, ",");
        wt_add_string(&out, q.headers[i + 1]);
        wt_add_text(&out, "]");
    }
    wt_add_text(&out, "]}");
    *r = (wt_response){0};
    int32_t n = r->handle = wt_host_http_request(out.data, out.size, q.body.data, q.body.size);
    if (n < 0) return n;
    WT_READ(head, n, wt_host_http_head(r->handle, head.data, head.room));
    r->head = wt_value(head);
    wt_int(wt_get(r->head, "status"), &r->status);
    return n < 0 ? n : 0;
}

// wt_header sets value to the first header of a name in any case. It returns false without the header.
static inline bool wt_header(const wt_response *r, const char *name, wt_bytes *value) {
    wt_json headers = wt_get(r->head, "headers"), pair, part;
    while (wt_next(&headers, &pair)) {
        if (!wt_next(&pair, &part) || !wt_string(part, value)) return false;
        if (strcasecmp(value->data, name) == 0) return wt_next(&pair, &part) && wt_string(part, value);
    }
    return false;
}

// wt_http_read reads the next bytes of the body. Returns their number, 0 at the end, or a code.
static inline int32_t wt_http_read(wt_response *r, void *to, size_t size) {
    return wt_host_http_read(r->handle, to, size < INT32_MAX ? size : INT32_MAX);
}

// wt_http_close closes a response, which may not be read to its end.
static inline void wt_http_close(wt_response *r) { wt_host_http_close(r->handle); }

// wt_http_body reads the rest of the body and closes the response. Returns 0 or a code, whose reason
// is still the last one.
static inline int wt_http_body(wt_response *r, wt_bytes *body) {
    int32_t n = 1;
    *body = (wt_bytes){0};
    while (n > 0) {
        wt_grow(body, body->size + 16384); // twice as much each time
        n = wt_http_read(r, body->data + body->size, body->room - body->size - 1);
        if (n > 0) body->size += (size_t)n;
    }
    body->data[body->size] = 0;
    if (n == 0) wt_http_close(r);
    return n;
}

#endif
