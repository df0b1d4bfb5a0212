// The functions that wasmtool provides to a reactor; docs/abi.md describes them. Copy
// this file into your tool.

#ifndef WASMTOOL_H
#define WASMTOOL_H

#include <stddef.h>

#define WASMTOOL(name) __attribute__((import_module("wasmtool_v1"), import_name(#name)))

WASMTOOL(input_len) size_t input_len(void);
WASMTOOL(input_read) size_t input_read(void *to, size_t length);
WASMTOOL(output_write) int output_write(const void *bytes, size_t length);
WASMTOOL(error_write) int error_write(const void *bytes, size_t length);

#endif
