// A small reader of JSON: it finds the members of an object and decodes strings.
// wasmtool hands a tool nothing but valid JSON, so there is no telling what is wrong
// with other input; it is still read without leaving its bounds.

#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>

// A part of a JSON text: one value, from at up to but not including end.
struct json {
    const char *at, *end;
};

// json_member finds the member of an object by its name. It returns false when
// there is none; value is unchanged then.
bool json_member(struct json object, const char *name, struct json *value);

// json_string decodes a string to UTF-8. text is from malloc, has a NUL at the
// end, and may hold more of them before length. It returns false when the value is
// no string or there is no memory; there is nothing to free then.
bool json_string(struct json value, char **text, size_t *length);

#endif
