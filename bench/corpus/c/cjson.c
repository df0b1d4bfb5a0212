// cjson parses and prints facts about all countries, 1.4 MB of JSON, twice.
#include "driver.h"
#include "cJSON.h"

static char *text;
static size_t size;

RUN {
    if (!text) text = load("/data/countries.json", &size);
    for (int formatted = 0; formatted < 2; formatted++) {
        cJSON *value = cJSON_ParseWithLength(text, size);
        char *printed = formatted ? cJSON_Print(value) : cJSON_PrintUnformatted(value);
        if (!printed) abort();
        result(digest(printed, strlen(printed)), strlen(printed));
        cJSON_free(printed);
        cJSON_Delete(value);
    }
}
