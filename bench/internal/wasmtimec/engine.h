// Modules in wasmtime: one engine with a pooling allocator for each module, and a new
// store and instance for each call.

#ifndef ENGINE_H
#define ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESSAGE_SIZE = 256 };

struct engine;

// engine_open compiles a module for at most max_instances at once. When it fails it
// returns NULL and fills message.
struct engine *engine_open(const uint8_t *wasm, size_t length, bool command, uint32_t max_instances,
                           char message[MESSAGE_SIZE]);

// engine_call runs the module once. It returns how many bytes it wrote to output, or
// -1 and fills message. It may be called from several threads at once.
ptrdiff_t engine_call(struct engine *e, const uint8_t *input, size_t length, uint8_t *output, size_t room,
                      char message[MESSAGE_SIZE]);

void engine_close(struct engine *e);

#endif
