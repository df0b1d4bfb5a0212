// zstd compresses a text at two levels, and decompresses it twenty times.
#include "driver.h"
#include "zstd.h"

static char *text, packed[300000], plain[300000];
static size_t size;

RUN {
    if (!text) text = load("/data/spec.txt", &size);
    size_t fast = ZSTD_compress(packed, sizeof packed, text, size, 3);
    uint32_t sum = digest(packed, fast);
    size_t n = ZSTD_compress(packed, sizeof packed, text, size, 9);
    for (int i = 0; i < 20; i++)
        if (ZSTD_decompress(plain, sizeof plain, packed, n) != size) abort();
    if (memcmp(plain, text, size)) abort();
    result(sum ^ digest(packed, n), n);
}
