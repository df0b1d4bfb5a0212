// The input of the canary: "look PAGES", or "plant TOKEN STEP... END".

#include "canary.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wasi/api.h>

// sleep_for_an_hour blocks in the host.
static void sleep_for_an_hour(void) {
    __wasi_subscription_t subscription = {0};
    subscription.u.tag = __WASI_EVENTTYPE_CLOCK;
    subscription.u.u.clock.id = __WASI_CLOCKID_MONOTONIC;
    subscription.u.u.clock.timeout = 3600ull * 1000 * 1000 * 1000;
    __wasi_event_t event;
    __wasi_size_t happened;
    (void)!__wasi_poll_oneoff(&subscription, &event, 1, &happened);
}

// end_as ends the call as the word says. It returns false for an unknown word.
static bool end_as(const char *end, int *result) {
    static volatile bool forever = true;
    *result = 0;
    if (strcmp(end, "return") == 0) return true;
    if (strcmp(end, "fail") == 0) return *result = 1, true;
    if (strcmp(end, "exit") == 0) exit(3);
    if (strcmp(end, "trap") == 0) __builtin_trap();
    if (strcmp(end, "loop") == 0) while (forever) {}
    if (strcmp(end, "flood") == 0) while (forever) answer(end, strlen(end));
    if (strcmp(end, "sleep") == 0) while (forever) sleep_for_an_hour();
    return false;
}

int canary(char *input, size_t length) {
    input[length] = '\0';
    char *word = strtok(input, " ");
    char *token = strtok(NULL, " ");
    if (word == NULL || token == NULL) return 1;
    if (strcmp(word, "look") == 0) {
        look(strtoul(token, NULL, 10));
        return 0;
    }
    int result;
    while ((word = strtok(NULL, " ")) != NULL) {
        if (end_as(word, &result)) return result;
        if (plant(word, token) != 0) return 1;
    }
    return 1;
}
