// webp decodes an image, encodes it, and decodes that, at five qualities.
#include "driver.h"
#include "webp/decode.h"
#include "webp/encode.h"

static char *image;
static size_t size;

RUN {
    if (!image) image = load("/data/test.webp", &size);
    int width, height;
    uint8_t *pixels = WebPDecodeRGB((uint8_t *)image, size, &width, &height), *packed;
    if (!pixels) abort();
    uint32_t sum = 0;
    size_t all = 0;
    for (int quality = 15; quality < 100; quality += 20) {
        size_t n = WebPEncodeRGB(pixels, width, height, 3 * width, (float)quality, &packed);
        uint8_t *again = WebPDecodeRGB(packed, n, &width, &height);
        if (!again) abort();
        sum = sum * 31 + digest(again, (size_t)(3 * width * height));
        all += n;
        WebPFree(packed);
        WebPFree(again);
    }
    result(sum, all);
    WebPFree(pixels);
}
