// duplicates finds files with the same content. The host computes the digests, which is much faster
// than code in the sandbox.
#include "../../sdk/c/wasmtool.h" // 'wasmtool new --abi reactor' copies it next to the source

#include <dirent.h>
#include <sys/stat.h>

typedef struct {
    const char *path;
    int64_t size;
    uint8_t digest[32];
} file;

static file *files;
static size_t count;
static wt_bytes failure; // why the tool cannot go on

static bool fail(const char *path, const char *why) {
    if (failure.size == 0) failure = wt_format("%s: %s", path, why);
    return false;
}

static void add(const char *path, int64_t size) {
    files = realloc(files, (count + 1) * sizeof *files);
    if (files == NULL) wt_die("the directory has more files than fit into memory");
    files[count++] = (file){.path = path, .size = size};
}

static bool walk(const char *directory) {
    DIR *d = opendir(directory);
    if (d == NULL) return fail(directory, strerror(errno));
    bool ok = true;
    for (struct dirent *entry; ok && (entry = readdir(d)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        struct stat info;
        bool top = strcmp(directory, ".") == 0;
        const char *path = wt_format("%s%s%s", top ? "" : directory, top ? "" : "/", entry->d_name).data;
        if (lstat(path, &info) != 0) ok = fail(path, strerror(errno));
        else if (S_ISDIR(info.st_mode)) ok = walk(path);
        else if (S_ISREG(info.st_mode) && info.st_size > 0) add(path, info.st_size);
    }
    closedir(d);
    return ok;
}

static bool digest(file *f) {
    FILE *in = fopen(f->path, "rb");
    char *content = malloc((size_t)f->size);
    if (content == NULL) return fail(f->path, "the file is too large; raise limits.memory in tool.toml");
    if (in == NULL || fread(content, 1, (size_t)f->size, in) != (size_t)f->size) return fail(f->path, strerror(errno));
    int code = wt_sha256((wt_bytes){content, (size_t)f->size, 0}, f->digest);
    free(content);
    fclose(in);
    return code == 0 || fail(f->path, wt_why(code).message);
}

// The largest files come first, and then those with the same content.
static int compare(const void *a, const void *b) {
    const file *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? 1 : -1;
    int order = memcmp(x->digest, y->digest, sizeof x->digest);
    return order != 0 ? order : strcmp(x->path, y->path);
}

static bool same(size_t i, size_t j) {
    return j < count && files[i].size == files[j].size && memcmp(files[i].digest, files[j].digest, 32) == 0;
}

static int duplicates(void) {
    wt_bytes directory, groups = {0};
    if (!wt_string(wt_get(wt_arguments(), "directory"), &directory)) return wt_fail(wt_str("directory: give a string"));
    if (!walk(directory.data)) return wt_fail(failure);

    qsort(files, count, sizeof *files, compare); // by size, since no digest is known yet
    for (size_t i = 0; i < count; i++) {
        bool alone = (i == 0 || files[i - 1].size != files[i].size) && (i + 1 == count || files[i + 1].size != files[i].size);
        if (!alone && !digest(&files[i])) return wt_fail(failure);
        if (i % 100 == 0) wt_progress((double)i, (double)count, wt_str(files[i].path));
    }
    qsort(files, count, sizeof *files, compare);

    int64_t wasted = 0;
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; same(i, next); next++) wasted += files[i].size;
        if (next == i + 1) continue;
        wt_add_text(&groups, groups.size > 0 ? ",{" : "{");
        wt_add_raw(&groups, "size", wt_format("%lld", files[i].size));
        wt_name(&groups, "files");
        for (size_t j = i; j < next; j++) {
            wt_add_text(&groups, j > i ? "," : "[");
            wt_add_string(&groups, wt_str(files[j].path));
        }
        wt_add_text(&groups, "]}");
    }
    return wt_output(wt_format("{\"wasted\":%lld,\"groups\":[%s]}", wasted, groups.size > 0 ? groups.data : ""));
}

WASMTOOL(duplicates)
