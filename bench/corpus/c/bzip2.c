// bzip2 compresses and decompresses a text.
#include "driver.h"
#include "bzlib.h"

static char *text, packed[300000], plain[300000];
static size_t size;

void bz_internal_error(int code) { exit(code); }

RUN {
    if (!text) text = load("/data/spec.txt", &size);
    unsigned n = sizeof packed, m = sizeof plain;
    if (BZ2_bzBuffToBuffCompress(packed, &n, text, (unsigned)size, 9, 0, 30)) abort();
    if (BZ2_bzBuffToBuffDecompress(plain, &m, packed, n, 0, 0)) abort();
    if (m != size || memcmp(plain, text, size)) abort();
    result(digest(packed, n), n);
}
