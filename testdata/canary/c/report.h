// The text of a report, without the code and state of printf.

#ifndef REPORT_H
#define REPORT_H

#include <stddef.h>
#include <stdint.h>

// say appends a string as far as there is room.
void say(const char *text);

// say_bytes appends length bytes.
void say_bytes(const void *bytes, size_t length);

// say_number appends a space and a number in hex.
void say_number(uint64_t number);

// report is the text so far, of report_length bytes.
extern char report[16384];
extern size_t report_length;

#endif
