// The job of every system under test, in C.

#ifndef COUNT_H
#define COUNT_H

#include <stdbool.h>
#include <stddef.h>

enum { ANSWER_SIZE = 160 };

// count takes {"text": "..."} and stores counts of the text in answer, as JSON with a final NUL.
// Without a text, it returns false and stores an error message in answer.
bool count(const char *input, size_t length, char answer[ANSWER_SIZE]);

#endif
