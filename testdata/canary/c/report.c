#include "report.h"

#include <string.h>

char report[16384];
size_t report_length;

void say_bytes(const void *bytes, size_t length) {
    if (length > sizeof report - report_length) length = sizeof report - report_length;
    memcpy(report + report_length, bytes, length);
    report_length += length;
}

void say(const char *text) { say_bytes(text, strlen(text)); }

void say_number(uint64_t number) {
    char digits[17];
    int at = sizeof digits;
    do digits[--at] = "0123456789abcdef"[number & 15];
    while (number >>= 4);
    digits[--at] = ' ';
    say_bytes(digits + at, sizeof digits - at);
}
