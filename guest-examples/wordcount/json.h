// A small JSON parser: it finds the members of an object and decodes strings.
// wasmtool only passes valid JSON to a tool, so the parser does not explain errors.
// It still never reads beyond the end of invalid input.

#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>

// One value in a JSON text, from at up to but not including end.
struct json {
    const char *at, *end;
};

// json_member finds the member of an object by its name. It returns false if
// there is none, and then leaves value unchanged.
bool json_member(struct json object, const char *name, struct json *value);

// json_string decodes a string to UTF-8. text is from malloc, has a NUL at the
// end, and may contain more of them before length. It returns false, with nothing to
// free, if the value is not a string or there is no memory.
bool json_string(struct json value, char **text, size_t *length);

#endif
