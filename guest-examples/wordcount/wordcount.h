// The tool itself, the same for both forms of the module.

#ifndef WORDCOUNT_H
#define WORDCOUNT_H

#include <stdbool.h>
#include <stddef.h>

// The size of the buffer for any answer; file names are cut to fit.
enum { ANSWER_SIZE = 1024 };

// wordcount runs the tool. input is its arguments, a JSON object of length bytes:
//
//   {"text": "..."}        counts in the text
//   {"file_path": "..."}   counts in a file
//
// It fills answer, with a NUL at the end: the counts as JSON if it returns true,
// otherwise a message for the caller of the tool.
bool wordcount(const char *input, size_t length, char answer[ANSWER_SIZE]);

#endif
