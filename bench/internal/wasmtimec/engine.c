//go:build wasmtime && cgo

#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wasi.h>
#include <wasm.h>
#include <wasmtime.h>

// How much of an instance is reset by copying, and not by giving pages back to the kernel. With this
// much, every guest is at its fastest.
enum { KEEP_RESIDENT = 8 << 20 };

struct engine {
    wasm_engine_t *engine;
    wasmtime_linker_t *linker;
    wasmtime_module_t *module;
    wasmtime_instance_pre_t *prepared;
    bool command;
};

// A call with its streams, which is the data of its store.
struct call {
    const uint8_t *input;
    size_t length, at;
    uint8_t *output;
    size_t room, written;
    wasmtime_memory_t memory; // set only for a reactor
};

// failed stores the message of an error or trap and deletes it. It returns false if there is
// neither.
static bool failed(wasmtime_error_t *error, wasm_trap_t *trap, char message[MESSAGE_SIZE]) {
    if (error == NULL && trap == NULL) return false;
    wasm_byte_vec_t text;
    if (error != NULL) {
        wasmtime_error_message(error, &text);
        wasmtime_error_delete(error);
    } else {
        wasm_trap_message(trap, &text);
        wasm_trap_delete(trap);
    }
    snprintf(message, MESSAGE_SIZE, "%.*s", (int)text.size, text.data);
    wasm_byte_vec_delete(&text);
    return true;
}

static ptrdiff_t write_output(struct call *c, const uint8_t *bytes, size_t length) {
    if (length > c->room - c->written) return -1;
    memcpy(c->output + c->written, bytes, length);
    c->written += length;
    return (ptrdiff_t)length;
}

static ptrdiff_t write_stdout(void *data, const unsigned char *bytes, size_t length) {
    return write_output(data, bytes, length);
}

// guest_range checks the pointer and length that a guest passed to a host function.
static uint8_t *guest_range(wasmtime_context_t *store, struct call *c, const wasmtime_val_raw_t *args) {
    uint64_t at = (uint32_t)args[0].i32, length = (uint32_t)args[1].i32;
    if (at + length > wasmtime_memory_data_size(store, &c->memory)) return NULL;
    return wasmtime_memory_data(store, &c->memory) + at;
}

#define HOST_FUNCTION(name)                                                                                            \
    static wasm_trap_t *name(void *env, wasmtime_caller_t *caller, wasmtime_val_raw_t *args, size_t count) {           \
        (void)env, (void)count;                                                                                        \
        wasmtime_context_t *store = wasmtime_caller_context(caller);                                                   \
        struct call *c = wasmtime_context_get_data(store);                                                             \
        uint8_t *bytes = NULL;                                                                                         \
        size_t length = 0;                                                                                             \
        if (count == 2) {                                                                                              \
            if ((bytes = guest_range(store, c, args)) == NULL) return wasmtime_trap_new("a bad range", 11);            \
            length = (uint32_t)args[1].i32;                                                                            \
        }                                                                                                              \
        args[0].i32 = (int32_t)name##_body(c, bytes, length);                                                          \
        return NULL;                                                                                                   \
    }

static size_t input_len_body(struct call *c, uint8_t *bytes, size_t length) {
    (void)bytes, (void)length;
    return c->length;
}
HOST_FUNCTION(input_len)

static size_t input_read_body(struct call *c, uint8_t *bytes, size_t length) {
    if (length > c->length - c->at) length = c->length - c->at;
    memcpy(bytes, c->input + c->at, length);
    c->at += length;
    return length;
}
HOST_FUNCTION(input_read)

static size_t output_write_body(struct call *c, uint8_t *bytes, size_t length) {
    return write_output(c, bytes, length) < 0 ? 1 : 0;
}
HOST_FUNCTION(output_write)

static size_t error_write_body(struct call *c, uint8_t *bytes, size_t length) {
    (void)c, (void)bytes, (void)length; // the result of call reports the failure
    return 0;
}
HOST_FUNCTION(error_write)

static bool define(struct engine *e, const char *name, size_t params, wasmtime_func_unchecked_callback_t function,
                   char message[MESSAGE_SIZE]) {
    wasm_functype_t *type = params == 0
                                ? wasm_functype_new_0_1(wasm_valtype_new_i32())
                                : wasm_functype_new_2_1(wasm_valtype_new_i32(), wasm_valtype_new_i32(),
                                                        wasm_valtype_new_i32());
    wasmtime_error_t *error = wasmtime_linker_define_func_unchecked(
        e->linker, "wasmtool_v1", strlen("wasmtool_v1"), name, strlen(name), type, function, (void *)params, NULL);
    wasm_functype_delete(type);
    return !failed(error, NULL, message);
}

static wasm_engine_t *new_engine(uint32_t max_instances) {
    wasmtime_pooling_allocation_config_t *pool = wasmtime_pooling_allocation_config_new();
    wasmtime_pooling_allocation_config_total_memories_set(pool, max_instances);
    wasmtime_pooling_allocation_config_total_tables_set(pool, max_instances);
    wasmtime_pooling_allocation_config_total_core_instances_set(pool, max_instances);
    wasmtime_pooling_allocation_config_max_unused_warm_slots_set(pool, max_instances);
    wasmtime_pooling_allocation_config_max_memory_size_set(pool, (size_t)256 << 20);
    wasmtime_pooling_allocation_config_max_core_instance_size_set(pool, 1 << 20);
    wasmtime_pooling_allocation_config_linear_memory_keep_resident_set(pool, KEEP_RESIDENT);
    wasmtime_pooling_allocation_config_table_keep_resident_set(pool, KEEP_RESIDENT);

    wasm_config_t *config = wasm_config_new();
    wasmtime_config_epoch_interruption_set(config, true); // so that calls can be stopped
    wasmtime_pooling_allocation_strategy_set(config, pool);
    wasmtime_pooling_allocation_config_delete(pool);
    return wasm_engine_new_with_config(config);
}

struct engine *engine_open(const uint8_t *wasm, size_t length, bool command, uint32_t max_instances,
                           char message[MESSAGE_SIZE]) {
    struct engine *e = calloc(1, sizeof *e);
    e->command = command;
    if ((e->engine = new_engine(max_instances)) == NULL) {
        snprintf(message, MESSAGE_SIZE, "cannot create an engine with a pooling allocator");
        goto bad;
    }
    e->linker = wasmtime_linker_new(e->engine);
    if (failed(wasmtime_linker_define_wasi(e->linker), NULL, message)) goto bad;
    if (!define(e, "input_len", 0, input_len, message) || !define(e, "input_read", 2, input_read, message) ||
        !define(e, "output_write", 2, output_write, message) || !define(e, "error_write", 2, error_write, message)) {
        goto bad;
    }
    if (failed(wasmtime_module_new(e->engine, wasm, length, &e->module), NULL, message)) goto bad;
    if (failed(wasmtime_linker_instantiate_pre(e->linker, e->module, &e->prepared), NULL, message)) goto bad;
    return e;
bad:
    engine_close(e);
    return NULL;
}

void engine_close(struct engine *e) {
    if (e->prepared != NULL) wasmtime_instance_pre_delete(e->prepared);
    if (e->module != NULL) wasmtime_module_delete(e->module);
    if (e->linker != NULL) wasmtime_linker_delete(e->linker);
    if (e->engine != NULL) wasm_engine_delete(e->engine);
    free(e);
}

// invoke calls an export without parameters. An optional export may be missing.
static bool invoke(wasmtime_context_t *store, wasmtime_instance_t *instance, const char *name, bool optional,
                   int32_t *result, char message[MESSAGE_SIZE]) {
    wasmtime_extern_t export;
    if (!wasmtime_instance_export_get(store, instance, name, strlen(name), &export)) {
        snprintf(message, MESSAGE_SIZE, "the module has no export %s", name);
        return optional;
    }
    wasmtime_val_t value = {.kind = WASMTIME_I32};
    wasm_trap_t *trap = NULL;
    wasmtime_error_t *error =
        wasmtime_func_call(store, &export.of.func, NULL, 0, &value, result == NULL ? 0 : 1, &trap);
    int status;
    if (error != NULL && wasmtime_error_exit_status(error, &status) && status == 0) {
        wasmtime_error_delete(error);
        error = NULL;
    }
    if (result != NULL) *result = value.of.i32;
    return !failed(error, trap, message);
}

static bool run(struct engine *e, wasmtime_context_t *store, struct call *c, char message[MESSAGE_SIZE]) {
    wasi_config_t *wasi = wasi_config_new();
    if (e->command) {
        wasm_byte_vec_t input;
        wasm_byte_vec_new(&input, c->length, (const char *)c->input);
        wasi_config_set_stdin_bytes(wasi, &input);
        wasi_config_set_stdout_custom(wasi, write_stdout, c, NULL);
    }
    if (failed(wasmtime_context_set_wasi(store, wasi), NULL, message)) return false;
    wasmtime_context_set_epoch_deadline(store, 1);

    wasmtime_instance_t instance;
    wasm_trap_t *trap = NULL;
    wasmtime_error_t *error = wasmtime_instance_pre_instantiate(e->prepared, store, &instance, &trap);
    if (failed(error, trap, message)) return false;
    if (e->command) return invoke(store, &instance, "_start", false, NULL, message);

    wasmtime_extern_t memory;
    if (!wasmtime_instance_export_get(store, &instance, "memory", strlen("memory"), &memory)) {
        snprintf(message, MESSAGE_SIZE, "the module exports no memory");
        return false;
    }
    c->memory = memory.of.memory;
    int32_t code;
    if (!invoke(store, &instance, "_initialize", true, NULL, message)) return false;
    if (!invoke(store, &instance, "call", false, &code, message)) return false;
    if (code != 0) snprintf(message, MESSAGE_SIZE, "call returned %d", code);
    return code == 0;
}

ptrdiff_t engine_call(struct engine *e, const uint8_t *input, size_t length, uint8_t *output, size_t room,
                      char message[MESSAGE_SIZE]) {
    struct call c = {.input = input, .length = length, .output = output, .room = room};
    wasmtime_store_t *store = wasmtime_store_new(e->engine, &c, NULL);
    bool ok = run(e, wasmtime_store_context(store), &c, message);
    wasmtime_store_delete(store);
    return ok ? (ptrdiff_t)c.written : -1;
}
