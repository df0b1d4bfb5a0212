// Modules in wasmtime. Each module has an engine with a pooling allocator, and each call has a new
// store and instance.

#ifndef ENGINE_H
#define ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESSAGE_SIZE = 256 };

struct engine;

// engine_open compiles a module for at most max_instances concurrent instances. On failure it
// returns NULL and stores an error in message.
struct engine *engine_open(const uint8_t *wasm, size_t length, bool command, uint32_t max_instances,
                           char message[MESSAGE_SIZE]);

// engine_call runs the module once. It returns the number of bytes written to output, or -1 and
// stores an error in message. Several threads may call it concurrently.
ptrdiff_t engine_call(struct engine *e, const uint8_t *input, size_t length, uint8_t *output, size_t room,
                      char message[MESSAGE_SIZE]);

void engine_close(struct engine *e);

#endif
