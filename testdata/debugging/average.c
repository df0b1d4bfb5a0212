// A tool with a planted bug, for the tests of debugging: without numbers in its input, it divides
// by zero. It needs no library, so that the module is small. Build it in this directory:
//
//	clang-19 --target=wasm32 -g -O1 -nostdlib -ffile-prefix-map=$PWD=. -Wl,--no-entry \
//	    -Wl,--export=_start -o average.wasm average.c

struct iovec {
    char *data;
    unsigned size;
};

#define WASI(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))
WASI(fd_read) int fd_read(int fd, struct iovec *iov, int count, unsigned *done);
WASI(fd_write) int fd_write(int fd, struct iovec *iov, int count, unsigned *done);

static char input[4096];

static void say(int fd, char *text, unsigned size) {
    struct iovec iov = {text, size};
    unsigned done;
    fd_write(fd, &iov, 1, &done);
}

__attribute__((noinline)) int divide(int a, int b) {
    return a / b; // the bug
}

__attribute__((noinline)) int average(const char *digits, int count) {
    int sum = 0, numbers = 0;
    for (int i = 0; i < count; i++) {
        if (digits[i] >= '0' && digits[i] <= '9') {
            sum += digits[i] - '0';
            numbers++;
        }
    }
    return divide(sum, numbers);
}

void _start(void) {
    struct iovec iov = {input, sizeof input};
    unsigned size = 0;
    fd_read(0, &iov, 1, &size);
    say(2, "averaging\n", 10);
    char digit = '0' + average(input, size);
    say(1, &digit, 1);
}
