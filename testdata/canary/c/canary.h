// The canary: a guest that leaves a token wherever it can, or looks for tokens that
// other calls left. See ../README.md for its input and its report.

#ifndef CANARY_H
#define CANARY_H

#include <stddef.h>
#include <stdint.h>

// canary executes the input. It returns 0, or 1 for a failure, unless the input asks
// for another ending.
int canary(char *input, size_t length);

// answer outputs the report: a command prints it, a reactor passes it to the host.
void answer(const char *text, size_t length);

// look writes the report. pages is the number of pages by which memory is grown.
void look(uint32_t pages);

// plant leaves the token in the place of the step. It returns 1 for an unknown step.
int plant(const char *step, const char *token);

// planted is the variable that the step "static" changes.
extern char planted[64];

#endif
