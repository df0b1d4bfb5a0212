// kissfft transforms a signal of 2^15 numbers and one of 3*5*7*100, forth and back, ten times.
#include "driver.h"
#include "kiss_fft.h"

static kiss_fft_cpx in[32768], out[32768];

static float transform(int n, int inverse) {
    kiss_fft_cfg config = kiss_fft_alloc(n, inverse, NULL, NULL);
    kiss_fft(config, in, out);
    kiss_fft_free(config);
    memcpy(in, out, sizeof in);
    return out[n / 3].r;
}

RUN {
    uint32_t state = 1;
    for (int i = 0; i < 32768; i++) in[i] = (kiss_fft_cpx){(float)(next(&state) >> 16) / 65536, 0};
    float sum = 0;
    const int sizes[] = {32768, 10500};
    for (int s = 0; s < 20; s++) {
        int n = sizes[s % 2];
        sum += transform(n, 0) / (float)n;
        sum += transform(n, 1);
    }
    result(digest(&sum, sizeof sum), sizeof sum);
}
