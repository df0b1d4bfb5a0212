// The program for the tests of the SDK in C: it does one thing with the SDK for each call, and says
// what came of it. guest/internal/protocol is the same in Go.

#include "wasmtool.h"

static wt_json in; // the arguments

static const wt_bytes binary = {"\xff\0A\xc3(", 5, 0}; // not UTF-8, and with NUL

// argument returns a string of the arguments, or "".
static wt_bytes argument(const char *name) {
    wt_bytes text;
    return wt_string(wt_get(in, name), &text) ? text : wt_str("");
}

static int64_t n(void) {
    int64_t number = 0;
    wt_int(wt_get(in, "n"), &number);
    return number;
}

static bool is(const char *what) {
    wt_bytes wanted = argument("do");
    return wanted.size == strlen(what) && strcmp(wanted.data, what) == 0;
}

static wt_bytes repeated(wt_bytes text, int64_t times) {
    wt_bytes all = {0};
    wt_grow(&all, text.size * (size_t)times);
    while (times-- > 0) wt_add(&all, text.data, text.size);
    return all;
}

static int answer(int code, wt_bytes value) {
    wt_bytes out = {0};
    if (code < 0) {
        wt_error why = wt_why(code);
        out = wt_format("error %s sent=%s %s", why.kind, why.sent ? "true" : "false", why.message);
    } else {
        wt_add_text(&out, "ok ");
        wt_add(&out, value.data, value.size);
    }
    return wt_output(out);
}

static int answer_bool(int code) { return answer(code, wt_str(code == 1 ? "true" : "false")); }

// answer_many answers an action that was done several times before it failed, or often enough.
static int answer_many(int code, int64_t done) {
    if (code < 0) wt_output(wt_format("%lld and ", (long long)done));
    return answer(code, wt_str("all"));
}

static void add_hex(wt_bytes *to, const void *data, size_t size) {
    for (size_t i = 0; i < size; i++) {
        wt_bytes two = wt_format("%02x", ((const uint8_t *)data)[i]);
        wt_add(to, two.data, two.size);
    }
}

static wt_bytes sum(wt_bytes data) {
    uint8_t digest[32] = {0};
    wt_bytes out = {0};
    wt_sha256(data, digest);
    add_hex(&out, digest, sizeof digest);
    return out;
}

// show returns bytes in a form that a transcript can have.
static wt_bytes show(wt_bytes data) {
    wt_bytes out = {0};
    if (data.size > 500) return wt_format("%zu bytes %s", data.size, sum(data).data);
    if (wt_is(wt_get(in, "hex"), "true")) add_hex(&out, data.data, data.size);
    else wt_add_string(&out, data);
    return out.size > 0 ? out : wt_str("");
}

static int store(void) {
    wt_bytes key = argument("key"), value, old;
    if (is("kv_get")) {
        int code = wt_kv_get(key, &value);
        if (code < 0 && strcmp(wt_why(code).kind, "not_found") == 0) return answer(0, wt_str("absent"));
        return answer(code, show(value));
    }
    if (is("kv_put")) return answer(wt_kv_put(key, argument("text")), wt_str(""));
    if (is("kv_put_binary")) return answer(wt_kv_put(key, binary), wt_str(""));
    if (is("kv_put_long")) return answer(wt_kv_put(key, repeated(wt_str("x"), n())), wt_str(""));
    if (is("kv_put_many")) {
        int code = 0;
        int64_t done = 0;
        for (; done < n(); done++) {
            wt_bytes name = {0}, number = wt_format("%03lld", (long long)done);
            wt_add(&name, key.data, key.size);
            wt_add(&name, number.data, number.size);
            if ((code = wt_kv_put(name, wt_str("v"))) < 0) break;
        }
        return answer_many(code, done);
    }
    if (is("kv_delete")) return answer(wt_kv_delete(key), wt_str(""));
    if (is("kv_swap")) {
        bool has_old = wt_string(wt_get(in, "old"), &old), has_value = wt_string(wt_get(in, "value"), &value);
        return answer_bool(wt_kv_swap(key, has_old ? &old : NULL, has_value ? &value : NULL));
    }
    wt_json keys, element;
    wt_bytes all = {0};
    int code = wt_kv_list(key, argument("after"), &keys);
    while (wt_next(&keys, &element)) {
        if (all.size > 0) wt_add_text(&all, " ");
        if (wt_string(element, &key)) wt_add(&all, key.data, key.size);
    }
    return answer(code, all);
}

static int request(void) {
    wt_bytes headers[2], header = argument("header"), out, body;
    wt_request q = {.method = argument("method"), .url = argument("url"), .body = argument("text"), .headers = headers};
    q.manual = wt_is(wt_get(in, "manual"), "true");
    if (is("http_long")) q.body = repeated(wt_str("x"), n());
    char *colon = strstr(header.data, ": ");
    if (colon != NULL) {
        *colon = 0;
        headers[0] = wt_str(header.data);
        headers[1] = wt_str(colon + 2);
        q.count = 2;
    }
    bool many = is("http_many"), open = is("http_open_many");
    wt_response r;
    int code = 0;
    for (int64_t done = 0; many || open; done++) {
        if (done == n() || (code = wt_http(q, &r)) < 0) return answer_many(code, done);
        if (many) wt_http_close(&r);
    }
    if ((code = wt_http(q, &r)) < 0) return answer(code, wt_str(""));
    wt_bytes found, url = wt_str("");
    if (!wt_header(&r, "x-answer", &found)) found = wt_str("");
    wt_string(wt_get(r.head, "url"), &url);
    code = wt_http_body(&r, &body);
    out = wt_format("%lld %s answer=%s body=%s", (long long)r.status, url.data, found.data, show(body).data);
    return answer(code, out);
}

// context says what the host says about the call.
static int context(void) {
    wt_json c = wt_context(), list, element;
    wt_bytes out = {0}, text;
    const char *names[] = {"tool", "call_id", "session", "message", "idempotency_key", "working_directory"};
    for (size_t i = 0; i < 6; i++) {
        if (wt_string(wt_get(c, names[i]), &text)) wt_add(&out, text.data, text.size);
        if (i < 5) wt_add_text(&out, " ");
    }
    for (list = wt_get(c, "mounts"); wt_next(&list, &element);) {
        wt_add_text(&out, " ");
        if (wt_string(wt_get(element, "path"), &text)) wt_add(&out, text.data, text.size);
        wt_add_text(&out, ":");
        if (wt_string(wt_get(element, "mode"), &text)) wt_add(&out, text.data, text.size);
    }
    wt_add_text(&out, " settings ");
    if (wt_string(wt_get(wt_get(c, "settings"), "engine"), &text)) wt_add(&out, text.data, text.size);
    wt_add_text(&out, " tools");
    for (list = wt_get(c, "tools"); wt_next(&list, &element);) {
        wt_add_text(&out, " ");
        if (wt_string(element, &text)) wt_add(&out, text.data, text.size);
    }
    return answer(0, out);
}

static int call(void) {
    wt_json result, list, element, structured;
    wt_bytes out = {0}, text;
    int code = wt_tool_call(argument("key"), argument("json"), &result);
    for (list = wt_get(result, "content"); wt_next(&list, &element);)
        if (wt_string(wt_get(element, "text"), &text)) wt_add(&out, text.data, text.size);
    structured = wt_get(result, "structured");
    if (structured.at != NULL) {
        wt_add_text(&out, " ");
        wt_add(&out, structured.at, (size_t)(structured.end - structured.at));
    }
    return answer(code, out);
}

static int file(void) {
    wt_bytes path = argument("key"), content = {0};
    if (is("file_replace")) {
        int code = wt_replace(path, argument("text"), NULL);
        return answer(code, wt_str(code > 0 ? "refused" : ""));
    }
    FILE *f = fopen(path.data, "rb");
    if (f == NULL) return answer(0, wt_str("refused"));
    for (int c; (c = getc(f)) != EOF;) wt_add(&content, (char[]){(char)c}, 1);
    fclose(f);
    return answer(0, show(content));
}

// peek reads all parts of a value, which may be anything.
static void peek(wt_json v) {
    wt_json element;
    wt_bytes text;
    double d;
    int64_t i;
    wt_number(v, &d);
    wt_int(v, &i);
    wt_string(v, &text);
    for (int depth = 0; v.at != NULL && depth < 100; depth++) {
        for (wt_json list = v; wt_next(&list, &element);) wt_string(element, &text);
        wt_get(v, "c");
        v = wt_get(v, "a");
    }
}

static int act(void) {
    wt_bytes text = argument("text"), what = argument("do");
    int code = 0;
    if (is("echo")) return wt_output(text);
    if (is("fail")) return wt_fail(text);
    if (strncmp(what.data, "kv_", 3) == 0) return store();
    if (strncmp(what.data, "http", 4) == 0) return request();
    if (strncmp(what.data, "file_", 5) == 0) return file();
    if (is("context")) return context();
    if (is("call")) return call();
    if (is("secret")) return answer_bool(wt_secret_exists(argument("key")));
    if (is("sha256")) return answer(0, sum(repeated(text, n() > 1 ? n() : 1)));
    if (is("peek")) peek(wt_value(text));
    else if (is("log")) wt_log((int)n(), text);
    else if (is("progress")) {
        double total = 0;
        wt_number(wt_get(in, "total"), &total);
        wt_progress((double)n(), total, text);
    } else if (is("update")) code = wt_update(text, argument("json"));
    else if (is("update_long")) code = wt_update(repeated(wt_str("x"), n()), wt_str(""));
    else if (is("partial")) code = wt_partial(text);
    else if (is("partial_often")) for (int64_t i = 0; i < n() && code == 0; i++) code = wt_partial(text);
    else if (is("cancelled")) wt_cancelled();
    else return wt_fail(wt_format("the argument do is \"%s\", which is not an action of this tool", what.data));
    return answer(code, wt_str(""));
}

static int quote(void) {
    wt_bytes out = {0};
    wt_add_text(&out, "{");
    wt_add_field(&out, "text", argument("text"));
    wt_add_raw(&out, "n", wt_format("%lld", (long long)n()));
    wt_add_text(&out, "}");
    return wt_output(out);
}

static int blocks(void) {
    wt_result r = {0};
    wt_text(&r, argument("text"));
    r.is_error = is("fail");
    if (r.is_error) return wt_finish(&r);
    wt_text(&r, binary);
    wt_media(&r, "image", (wt_bytes){"GIF89a\x01\0\x01\0\0\0\0;", 14, 0}, "image/gif");
    wt_media(&r, "audio", (wt_bytes){"RIFF\x04\0\0\0WAVE", 12, 0}, "audio/wav");
    wt_resource(&r, "note:a", "text/plain", argument("text"), false);
    wt_resource(&r, "note:b", "application/x-b", binary, true);
    r.structured = wt_format("{\"n\":%lld}", (long long)n());
    r.title = wt_str("A title");
    r.metadata = wt_str("{\"m\":[1]}");
    return wt_finish(&r);
}

static int run(void) {
    wt_bytes tool = {0};
    in = wt_arguments();
    wt_string(wt_get(wt_context(), "tool"), &tool);
    if (strcmp(tool.data, "quote") == 0) return quote();
    return strcmp(tool.data, "blocks") == 0 ? blocks() : act();
}

WASMTOOL(run)
