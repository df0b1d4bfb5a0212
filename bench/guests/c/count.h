// The job that every system under test does, in C.

#ifndef COUNT_H
#define COUNT_H

#include <stdbool.h>
#include <stddef.h>

enum { ANSWER_SIZE = 160 };

// count takes {"text": "..."} and fills answer, with a NUL at the end, with counts in
// that text as JSON. It is false, and answer a message, when there is no such text.
bool count(const char *input, size_t length, char answer[ANSWER_SIZE]);

#endif
