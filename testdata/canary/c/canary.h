// The canary: a guest that leaves a token wherever it can, or looks for what others
// left. See ../README.md for what it is told and what it reports.

#ifndef CANARY_H
#define CANARY_H

#include <stddef.h>
#include <stdint.h>

// canary does what the input says. It returns 0, or 1 for a failure, unless the input
// asks for another end.
int canary(char *input, size_t length);

// answer gives the report away: a command prints it, a reactor hands it over.
void answer(const char *text, size_t length);

// look writes the report. pages is how many pages memory is asked to grow by.
void look(uint32_t pages);

// plant leaves the token as the step says. It returns 0, or 1 for an unknown step.
int plant(const char *step, const char *token);

// planted is what the step "static" changes.
extern char planted[64];

#endif
