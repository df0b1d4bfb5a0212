// onig finds the matches of five regular expressions in a text.
#include "driver.h"
#include "oniguruma.h"

static char *text;
static size_t size;

static const char *const patterns[] = {
    "[a-z]+ly\\b", "(?i:link|image)s?", "\\[([^\\]]*)\\]\\(([^)]*)\\)", "<(\\w+)[^>]*>.*?</\\1>",
    "^(?=.*code)(?!.*block).*$",
};

RUN {
    if (!text) text = load("/data/spec.txt", &size);
    const OnigUChar *start = (const OnigUChar *)text, *end = start + size;
    uint32_t sum = 0;
    size_t count = 0;
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        regex_t *regex;
        OnigErrorInfo info;
        const OnigUChar *pattern = (const OnigUChar *)patterns[p];
        if (onig_new(&regex, pattern, pattern + strlen(patterns[p]), ONIG_OPTION_DEFAULT, ONIG_ENCODING_UTF8,
                ONIG_SYNTAX_DEFAULT, &info)) abort();
        OnigRegion *region = onig_region_new();
        const OnigUChar *at = start;
        while (onig_search(regex, start, end, at, end, region, ONIG_OPTION_NONE) >= 0) {
            sum = sum * 31 + (uint32_t)region->end[0];
            count++;
            at = start + region->end[0] + (region->end[0] == region->beg[0]);
            if (at >= end) break;
        }
        onig_region_free(region, 1);
        onig_free(regex);
    }
    result(sum, count);
}
