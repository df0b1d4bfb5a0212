// The command around QuickJS: _start, the functions that prelude.js gets, and what the package
// quickjs-wasi imports from its host. It is linked without a library, and merged with the
// package's module into one that shares its memory; see build.sh.
//
// This file must not use the stack in memory: no address of a local variable, and no function
// pointer. So it needs no stack of its own, and a deep recursion of a script meets only the stack
// that QuickJS checks. build.sh fails otherwise.

typedef unsigned char byte;
typedef unsigned int u32;
typedef unsigned long long u64;

// Value is a JSValue of QuickJS with 32-bit pointers: the tag in the high half, and a number or
// pointer in the low half, except for floating-point numbers. A Handle is a Value in the heap,
// which is what the functions qjs_* use.
typedef u64 Value;
typedef Value *Handle;
typedef struct Context Context;

#define INT(n) ((Value)(u32)(n))
#define TRUE ((1ull << 32) | 1)
#define UNDEFINED (3ull << 32)
#define IS_EXCEPTION(v) ((v) >> 32 == 6)
#define IS_UNDEFINED(v) ((v) >> 32 == 3)
#define IS_STRING(v) ((int)((v) >> 32) == -7 || (int)((v) >> 32) == -6)

#define FROM(module, name) __attribute__((import_module(module), import_name(name)))
#define QJS(name) FROM("qjs", #name)
#define WASI(name) FROM("wasi_snapshot_preview1", #name)
#define EXPORT(name) __attribute__((export_name(name)))

QJS(_initialize) void qjs_initialize(void);
QJS(malloc) void *qjs_malloc(u32 size);
QJS(realloc) void *qjs_realloc(void *p, u32 size);
QJS(free) void qjs_free(void *p);
QJS(strlen) u32 qjs_strlen(const char *s);
QJS(memcmp) int memcmp(const void *a, const void *b, unsigned long n);
QJS(qjs_init) int qjs_init(void);
QJS(qjs_get_context_ptr) Context *qjs_context(void);
QJS(qjs_set_max_stack_size) void qjs_set_max_stack_size(u32 size);
QJS(qjs_set_module_loader) void qjs_set_module_loader(int enabled);
QJS(qjs_set_promise_rejection_handler) void qjs_set_promise_rejection_handler(int enabled);
QJS(qjs_new_host_function) Handle qjs_new_host_function(const char *name, u32 len, int argc);
QJS(qjs_eval) Handle qjs_eval(const char *code, u32 len, const char *file, int flags);
QJS(qjs_free_value) void qjs_free_value(Handle h);
QJS(qjs_execute_pending_job) int qjs_execute_pending_job(void);
QJS(JS_NewObject) Value JS_NewObject(Context *c);
QJS(JS_GetGlobalObject) Value JS_GetGlobalObject(Context *c);
QJS(JS_SetPropertyStr) int JS_SetPropertyStr(Context *c, Value object, const char *name, Value v);
QJS(JS_NewStringLen) Value JS_NewStringLen(Context *c, const char *s, u32 len);
QJS(JS_NewNumber) Value JS_NewNumber(Context *c, double n);
QJS(JS_NewArray) Value JS_NewArray(Context *c);
QJS(JS_SetPropertyUint32) int JS_SetPropertyUint32(Context *c, Value array, u32 index, Value v);
QJS(JS_NewUint8ArrayCopy) Value JS_NewUint8ArrayCopy(Context *c, const byte *b, u32 len);
QJS(JS_GetUint8Array) byte *JS_GetUint8Array(Context *c, u32 *len, Value v);
QJS(JS_ToCStringLen2) const char *JS_ToCStringLen2(Context *c, u32 *len, Value v, int cesu8);
QJS(JS_FreeCString) void JS_FreeCString(Context *c, const char *s);
QJS(JS_DupValue) Value JS_DupValue(Context *c, Value v);
QJS(JS_FreeValue) void JS_FreeValue(Context *c, Value v);
QJS(JS_ParseJSON) Value JS_ParseJSON(Context *c, const char *text, u32 len, const char *file);
QJS(JS_ThrowOutOfMemory) Value JS_ThrowOutOfMemory(Context *c);
QJS(JS_GetException) Value JS_GetException(Context *c);
QJS(JS_Call) Value JS_Call(Context *c, Value f, Value self, int argc, Value *argv);

WASI(args_sizes_get) int wasi_args_sizes_get(u32 *count, u32 *size);
WASI(args_get) int wasi_args_get(char **list, char *bytes);
WASI(environ_sizes_get) int wasi_environ_sizes_get(u32 *count, u32 *size);
WASI(environ_get) int wasi_environ_get(char **list, char *bytes);
WASI(clock_time_get) int wasi_clock_time_get(int clock, u64 precision, u64 *time);
WASI(fd_close) int wasi_fd_close(int fd);
WASI(fd_prestat_get) int wasi_fd_prestat_get(int fd, u32 *prestat);
WASI(fd_prestat_dir_name) int wasi_fd_prestat_dir_name(int fd, char *name, u32 len);
WASI(fd_read) int wasi_fd_read(int fd, u32 *vectors, u32 count, u32 *n);
WASI(fd_readdir) int wasi_fd_readdir(int fd, byte *b, u32 len, u64 cookie, u32 *n);
WASI(fd_write) int wasi_fd_write(int fd, u32 *vectors, u32 count, u32 *n);
WASI(path_create_directory) int wasi_path_create_directory(int dir, const char *path, u32 len);
WASI(path_filestat_get) int wasi_path_filestat_get(int dir, u32 lookup, const char *path, u32 len, u64 *stat);
WASI(path_remove_directory) int wasi_path_remove_directory(int dir, const char *path, u32 len);
WASI(path_rename) int wasi_path_rename(int dir, const char *path, u32 len, int to, const char *name, u32 name_len);
WASI(path_unlink_file) int wasi_path_unlink_file(int dir, const char *path, u32 len);
WASI(path_open) int wasi_path_open(int dir, u32 lookup, const char *path, u32 len, u32 flags,
                                   u64 rights, u64 inherited, u32 fdflags, u32 *fd);
WASI(poll_oneoff) int wasi_poll_oneoff(u64 *subscriptions, u64 *events, u32 count, u32 *n);
WASI(proc_exit) _Noreturn void wasi_proc_exit(int status);
WASI(random_get) int wasi_random_get(byte *b, u32 len);

// prelude is the source of a module: both files, and a zero.
static const char prelude[] = {
#embed "prelude.js"
    ,
#embed "url.js" suffix(, 0)
};

// The functions for prelude.js, in the order of enum call.
static const char *const names[] = {
    "args", "env", "open", "list", "stat", "change", "close", "read", "write", "exit",
    "now", "sleep", "random", "seed", "encode", "decode", "evaluate", "hooks", "ask", "line"};
enum call { ARGS, ENV, OPEN, LIST, STAT, CHANGE, CLOSE, READ, WRITE, EXIT,
            NOW, SLEEP, RANDOM, SEED, ENCODE, DECODE, EVALUATE, HOOKS, ASK, LINE };
enum { CALLS = sizeof names / sizeof *names };

static Context *context;
static int started;                           // whether QuickJS is set up
static Value hooks[5];                        // what prelude.js gave with hooks()
enum { RESOLVE, LOAD, REJECTED, FAILED, TURN }; // their order

// What host functions write to. Each is read before another host function or script runs.
static u32 len, number, vector[2];
static u64 time;
static Value arguments[3];

static Value string(const char *s) { return JS_NewStringLen(context, s, qjs_strlen(s)); }

// copy returns a copy of a string with a zero after it, which the caller frees, and its length in
// len; or 0.
static char *copy(Value v) {
    const char *s = JS_ToCStringLen2(context, &len, v, 0);
    if (!s) return 0;
    char *to = qjs_malloc(len + 1);
    if (to) __builtin_memcpy(to, s, len + 1);
    JS_FreeCString(context, s);
    return to;
}

// strings returns the arguments, or the environment as NAME=VALUE.
static Value strings(int environment) {
    if (environment ? wasi_environ_sizes_get(&number, &len) : wasi_args_sizes_get(&number, &len)) return UNDEFINED;
    u32 count = number;
    char **list = qjs_malloc(count * sizeof *list + 1), *bytes = qjs_malloc(len + 1);
    if (!list || !bytes || (environment ? wasi_environ_get(list, bytes) : wasi_args_get(list, bytes))) return UNDEFINED;
    Value all = JS_NewArray(context);
    for (u32 i = 0; i < count; i++) JS_SetPropertyUint32(context, all, i, string(list[i]));
    qjs_free(list);
    qjs_free(bytes);
    return all;
}

// under returns the length of the directory name if the path is in it or is it, and -1 otherwise. A
// separator in front of the rest is part of the length.
static int under(const char *name, u32 n, const char *path, u32 all) {
    while (n && name[n - 1] == '/') n--;
    if (n > all || memcmp(name, path, n)) return -1;
    return n == all ? (int)n : path[n] == '/' ? (int)n + 1 : -1;
}

static const char *inside; // the rest of a path in its directory, for locate
static u32 inside_len;

// locate returns the descriptor of the directory that an absolute path is in, or -1.
static int locate(const char *path, u32 all) {
    int dir = -1, best = -1, fd, n;
    for (fd = 3; !wasi_fd_prestat_get(fd, vector); fd++) {
        u32 size = vector[1];
        char *name = qjs_malloc(size + 1);
        if (!name) return -1;
        n = wasi_fd_prestat_dir_name(fd, name, size) ? -1 : under(name, size, path, all);
        if (n > best) best = n, dir = fd;
        qjs_free(name);
    }
    inside = path + best, inside_len = all - best;
    if (dir >= 0 && !inside_len) inside = ".", inside_len = 1;
    return dir;
}

// open opens a file, to read (0), to write it anew (1), for both (2), or a directory (3). It returns
// the descriptor, or the negative error of WASI.
static int open(const char *path, u32 all, int mode) {
    enum { READ_RIGHT = 1 << 1, SEEK_RIGHT = 1 << 2, WRITE_RIGHT = 1 << 6, READDIR_RIGHT = 1 << 14 };
    enum { CREATE = 1, DIRECTORY = 2, TRUNCATE = 8 };
    int dir = locate(path, all);
    if (dir < 0) return -44;
    u64 rights = mode == 3 ? READDIR_RIGHT : SEEK_RIGHT | (mode != 1 ? READ_RIGHT : 0) | (mode ? WRITE_RIGHT : 0);
    u32 flags = mode == 1 ? CREATE | TRUNCATE : mode == 3 ? DIRECTORY : 0;
    int err = wasi_path_open(dir, 1, inside, inside_len, flags, rights, rights, 0, &number);
    return err ? -err : (int)number;
}

// list returns the names in an open directory, each with its type after it.
static Value list(int fd) {
    enum { ROOM = 16384, HEAD = 24 };
    byte *b = qjs_malloc(ROOM);
    if (!b) return INT(-48);
    Value all = JS_NewArray(context);
    u32 count = 0, at;
    u64 cookie = 0;
    do {
        int err = wasi_fd_readdir(fd, b, ROOM, cookie, &number);
        if (err) {
            JS_FreeValue(context, all);
            qjs_free(b);
            return INT(-err);
        }
        for (at = 0; at + HEAD <= number; at += HEAD + vector[0]) {
            vector[0] = *(u32 *)(b + at + 16);
            if (at + HEAD + vector[0] > number) break;
            cookie = *(u64 *)(b + at);
            JS_SetPropertyUint32(context, all, count++, JS_NewStringLen(context, (char *)b + at + HEAD, vector[0]));
            JS_SetPropertyUint32(context, all, count++, INT(b[at + 20]));
        }
    } while (number == ROOM);
    qjs_free(b);
    return all;
}

// stat returns the type of a file, its size, and the milliseconds since 1970 of its last change.
static Value stat(const char *path, u32 all) {
    static u64 about[8];
    int dir = locate(path, all), err = dir < 0 ? 44 : wasi_path_filestat_get(dir, 1, inside, inside_len, about);
    if (err) return INT(-err);
    Value v = JS_NewArray(context);
    JS_SetPropertyUint32(context, v, 0, INT((byte)about[2]));
    JS_SetPropertyUint32(context, v, 1, JS_NewNumber(context, (double)about[4]));
    JS_SetPropertyUint32(context, v, 2, JS_NewNumber(context, (double)(about[6] / 1000000)));
    return v;
}

// change removes a file or an empty directory (no second path), makes a directory ("/"), or renames
// a file.
static int change(const char *path, u32 all, const char *to, u32 to_len) {
    int dir = locate(path, all), err;
    const char *from = inside;
    u32 from_len = inside_len;
    if (dir < 0) return 44;
    if (!to_len) {
        err = wasi_path_unlink_file(dir, from, from_len);
        return err == 31 ? wasi_path_remove_directory(dir, from, from_len) : err;
    }
    if (to_len == 1) return wasi_path_create_directory(dir, from, from_len);
    int other = locate(to, to_len);
    return other < 0 ? 44 : wasi_path_rename(dir, from, from_len, other, inside, inside_len);
}

// read reads once, at most size bytes, or to the end if size is 0. It returns a Uint8Array, or the
// negative error of WASI.
static Value read(int fd, u32 size) {
    u32 room = size ? size : 4096, n = 0;
    byte *b = qjs_malloc(room);
    for (;;) {
        if (!b) return INT(-48);
        vector[0] = (u32)(b + n), vector[1] = room - n;
        int err = wasi_fd_read(fd, vector, 1, &number);
        if (err) {
            qjs_free(b);
            return INT(-err);
        }
        n += number;
        if (size || !number) break;
        if (n == room) {
            byte *larger = room < 1u << 30 ? qjs_realloc(b, room *= 2) : 0;
            if (!larger) qjs_free(b);
            b = larger;
        }
    }
    Value v = JS_NewUint8ArrayCopy(context, b, n);
    qjs_free(b);
    return v;
}

// write writes a string or a Uint8Array. It returns 0, or the negative error of WASI.
static int write(int fd, Value v) {
    const char *s = 0, *b;
    int err = 0;
    if (IS_STRING(v))
        b = s = JS_ToCStringLen2(context, &len, v, 0);
    else
        b = (char *)JS_GetUint8Array(context, &len, v);
    if (!b && len) return -48;
    for (u32 n = len; n && !err; b += number, n -= number) {
        vector[0] = (u32)b, vector[1] = n;
        number = 0;
        err = wasi_fd_write(fd, vector, 1, &number);
        if (!err && !number) err = 29; // an I/O error
    }
    if (s) JS_FreeCString(context, s);
    return -err;
}

// ask writes a string, and returns the value of the line of JSON that can be read then, or the
// negative error of WASI. JSON has no line end inside.
static Value ask(int fd, Value question) {
    u32 room = 4096, n = 0;
    int err = write(fd, question);
    if (err) return INT(err);
    char *b = qjs_malloc(room);
    do {
        if (n + 1 == room) {
            char *larger = room < 1u << 30 ? qjs_realloc(b, room *= 2) : 0;
            if (!larger) qjs_free(b);
            b = larger;
        }
        if (!b) return INT(-48);
        vector[0] = (u32)(b + n), vector[1] = room - 1 - n;
        err = wasi_fd_read(fd, vector, 1, &number);
        if (err || !number) {
            qjs_free(b);
            return INT(err ? -err : -29);
        }
        n += number;
    } while (b[n - 1] != '\n');
    b[n] = 0;
    Value v = JS_ParseJSON(context, b, n, "answer");
    qjs_free(b);
    return v;
}

#define IS_DIGIT(c) ((c) >= '0' && (c) <= '9')

// line returns the number of the line in the first frame of a stack that has one, or 0. Such a frame
// ends with LINE:COLUMN and perhaps a bracket.
static int line(const char *s, u32 n) {
    const char *end = s + n, *next;
    for (; s < end; s = next + 1) {
        for (next = s; next < end && *next != '\n'; next++) {}
        const char *at = next;
        if (at > s && at[-1] == ')') at--;
        while (at > s && IS_DIGIT(at[-1])) at--;
        if (at == s || *--at != ':' || !IS_DIGIT(at[1])) continue;
        u32 value = 0, power = 1, digits = 0;
        for (; at > s && IS_DIGIT(at[-1]) && digits < 9; digits++, power *= 10) value += (*--at - '0') * power;
        if (digits && at > s && at[-1] == ':') return value;
    }
    return 0;
}

// sleep waits for milliseconds.
static void sleep(u32 milliseconds) {
    u64 *block = qjs_malloc(48 + 32);
    if (!block) return;
    __builtin_memset(block, 0, 48);
    block[2] = 1; // the monotonic clock
    block[3] = (u64)milliseconds * 1000000;
    wasi_poll_oneoff(block, block + 6, 1, &number);
    qjs_free(block);
}

// random returns random bytes.
static Value random(u32 n) {
    byte *b = qjs_malloc(n + 1);
    if (!b) return INT(-48);
    int err = wasi_random_get(b, n);
    Value v = err ? INT(-err) : JS_NewUint8ArrayCopy(context, b, n);
    qjs_free(b);
    return v;
}

// seed sets the state of Math.random, which no function of QuickJS can do. TestJS shows that the
// state is there.
enum { RANDOM_STATE = 280 };
static void seed(void) {
    u64 *state = (u64 *)((char *)context + RANDOM_STATE);
    if (wasi_random_get((byte *)state, sizeof *state) || !*state) *state = 1;
}

static Value host(enum call name, Handle *argv) {
    Value v = UNDEFINED;
    char *first = 0, *second = 0;
    u32 size = 0;
    switch (name) { // those with strings
    case CHANGE:
    case EVALUATE:
        if (!(second = copy(*argv[1]))) return INT(-48);
        size = len;
        __attribute__((fallthrough));
    case OPEN:
    case STAT:
    case LINE:
        if ((first = copy(*argv[0]))) break;
        qjs_free(second);
        return INT(-48);
    default: break;
    }
    switch (name) {
    case ARGS: return strings(0);
    case ENV: return strings(1);
    case OPEN: v = INT(open(first, len, (int)*argv[1])); break;
    case STAT: v = stat(first, len); break;
    case CHANGE: v = INT(-change(first, len, second, size)); break;
    case LIST: return list((int)*argv[0]);
    case CLOSE: return INT(-wasi_fd_close((int)*argv[0]));
    case ASK: return ask((int)*argv[0], *argv[1]);
    case LINE: v = INT(line(first, len)); break;
    case READ: return read((int)*argv[0], (u32)*argv[1]);
    case WRITE: return INT(write((int)*argv[0], *argv[1]));
    case EXIT: wasi_proc_exit((int)*argv[0]);
    case NOW: // milliseconds of the monotonic clock, modulo 2^31
        wasi_clock_time_get(1, 1, &time);
        return INT(time / 1000000 & 0x7fffffff);
    case SLEEP: sleep((u32)*argv[0]); break;
    case RANDOM: return random((u32)*argv[0]);
    case SEED: seed(); break;
    case ENCODE:
        first = (char *)JS_ToCStringLen2(context, &len, *argv[0], 0);
        if (!first) return INT(-48);
        v = JS_NewUint8ArrayCopy(context, (byte *)first, len);
        JS_FreeCString(context, first);
        return v;
    case DECODE:
        first = (char *)JS_GetUint8Array(context, &len, *argv[0]);
        return first || !len ? JS_NewStringLen(context, first, len) : INT(-48);
    case EVALUATE: // a module from its source and name: the promise of its namespace
        argv = (Handle *)qjs_eval(first, len, second, 1);
        if (!argv) break;
        v = JS_DupValue(context, *(Handle)argv);
        qjs_free_value((Handle)argv);
        break;
    case HOOKS:
        for (int i = 0; i < 5; i++) hooks[i] = JS_DupValue(context, *argv[i]);
    }
    qjs_free(first);
    qjs_free(second);
    return v;
}

// The imports of the package's module.

EXPORT("host_call") Handle host_call(const char *name, u32 size, Handle self, int argc, Handle *argv) {
    (void)size, (void)self; // the caller frees self and argv
    int call = *name - 'A';
    int memory = argv && argc >= (call == HOOKS ? 5 : 2); // prelude.js always passes two
    for (int i = 0; memory && i < argc; i++) memory = argv[i] != 0;
    Handle h = memory ? qjs_malloc(sizeof *h) : 0;
    if (!h) {
        JS_ThrowOutOfMemory(context);
        return 0;
    }
    Value v = host(call, argv);
    if (IS_EXCEPTION(v)) {
        qjs_free(h);
        return 0;
    }
    *h = v;
    return h;
}

EXPORT("host_interrupt") int host_interrupt(void) { return 0; }
EXPORT("host_get_timezone_offset") int host_get_timezone_offset(u32 high, u32 low) { return (void)high, (void)low, 0; }

EXPORT("host_promise_rejection") void host_promise_rejection(Handle promise, Handle reason, int handled) {
    if (!promise || !reason) return;
    arguments[0] = *promise, arguments[1] = *reason, arguments[2] = handled ? TRUE : INT(0);
    JS_FreeValue(context, JS_Call(context, hooks[REJECTED], UNDEFINED, 3, arguments));
    qjs_free_value(promise);
    qjs_free_value(reason);
}

// asked calls a hook with one or two strings, and returns a copy of its result.
static char *asked(int hook, const char *a, const char *b) {
    char *result = 0;
    arguments[0] = string(a);
    arguments[1] = b ? string(b) : UNDEFINED;
    Value first = arguments[0], second = arguments[1];
    if (IS_EXCEPTION(first) || IS_EXCEPTION(second)) return 0;
    Value v = JS_Call(context, hooks[hook], UNDEFINED, 2, arguments);
    if (!IS_EXCEPTION(v)) result = copy(v);
    JS_FreeValue(context, v);
    JS_FreeValue(context, first);
    JS_FreeValue(context, second);
    return result;
}

EXPORT("host_module_normalize") char *host_module_normalize(const char *base, const char *name) {
    return asked(RESOLVE, name, base);
}

EXPORT("host_module_load") char *host_module_load(const char *name, u32 *size) {
    char *source = asked(LOAD, name, 0);
    *size = len;
    return source;
}

// While QuickJS is set up, it reads the clock, to seed Math.random, and its allocator draws a random
// number. Constants keep the start the same for all calls. prelude.js seeds Math.random when it is
// first used.
EXPORT("engine_clock") int engine_clock(int clock, u64 precision, u64 *to) {
    if (started) return wasi_clock_time_get(clock, precision, to);
    *to = 1;
    return 0;
}

EXPORT("engine_random") int engine_random(byte *b, u32 n) {
    if (started) return wasi_random_get(b, n);
    __builtin_memset(b, 1, n);
    return 0;
}

static _Noreturn void fail(const char *text) {
    vector[0] = (u32)text, vector[1] = qjs_strlen(text);
    wasi_fd_write(2, vector, 1, &number);
    wasi_proc_exit(1);
}

// call calls a hook that reports whether there is more to do.
static int call(int hook, Value v) {
    arguments[0] = v;
    Value more = JS_Call(context, hooks[hook], UNDEFINED, 1, arguments);
    JS_FreeValue(context, v);
    if (IS_EXCEPTION(more)) fail("out of memory, or of stack, while the end of the script was handled\n");
    return more == TRUE;
}

EXPORT("_start") void start(void) {
    static char letter[2];
    qjs_initialize();
    if (qjs_init()) fail("out of memory at the start of the interpreter\n");
    context = qjs_context();
    started = 1;
    qjs_set_max_stack_size(STACK);
    qjs_set_module_loader(1);
    qjs_set_promise_rejection_handler(1);
    Value functions = JS_NewObject(context), global = JS_GetGlobalObject(context);
    for (int i = 0; i < CALLS; i++) {
        *letter = 'A' + i;
        Handle f = qjs_new_host_function(letter, 1, 0);
        JS_SetPropertyStr(context, functions, names[i], *f);
        qjs_free(f);
    }
    JS_SetPropertyStr(context, global, "host", functions);
    JS_FreeValue(context, global);
    Handle h = qjs_eval(prelude, sizeof prelude - 1, "wasmtool:sys", 1);
    if (!h || IS_EXCEPTION(*h) || !hooks[TURN]) fail("out of memory at the start of the interpreter\n");
    do {
        int done;
        while ((done = qjs_execute_pending_job()) != 0)
            if (done < 0) call(FAILED, JS_GetException(context));
    } while (call(TURN, UNDEFINED));
    wasi_proc_exit(0);
}
