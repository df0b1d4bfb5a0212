// sqlite fills a table in memory and queries it.
#include "driver.h"
#include "sqlite3.h"

static const char script[] =
    "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price INTEGER, kind INTEGER);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)"
    " INSERT INTO item SELECT i, printf('item %d', i * 7919 % 10000), i * 31337 % 1000, i % 13 FROM n;"
    "CREATE INDEX by_name ON item(name);"
    "UPDATE item SET price = price + 1 WHERE name LIKE '%7%';"
    "SELECT kind, count(*), sum(price), max(name) FROM item GROUP BY kind ORDER BY 3 DESC;"
    "SELECT count(*) FROM item a JOIN item b ON b.name = 'item ' || a.id WHERE a.price < b.price;"
    "DELETE FROM item WHERE price > 500;"
    "SELECT group_concat(name) FROM (SELECT name FROM item ORDER BY name LIMIT 500);";

static int row(void *sum, int columns, char **values, char **names) {
    (void)names;
    for (int i = 0; i < columns; i++) *(uint32_t *)sum = *(uint32_t *)sum * 31 + digest(values[i], strlen(values[i]));
    return 0;
}

// A database in memory needs a file system only by name, and for its clock and its random numbers.
static int randomness(sqlite3_vfs *vfs, int size, char *out) {
    (void)vfs;
    memset(out, 7, (size_t)size);
    return size;
}

static int now(sqlite3_vfs *vfs, double *day) {
    (void)vfs;
    *day = 2460000.5;
    return SQLITE_OK;
}

int sqlite3_os_init(void) {
    static sqlite3_vfs vfs = {.iVersion = 1, .mxPathname = 64, .zName = "none", .xRandomness = randomness,
        .xCurrentTime = now};
    return sqlite3_vfs_register(&vfs, 1);
}

int sqlite3_os_end(void) { return SQLITE_OK; }

RUN {
    sqlite3 *db;
    uint32_t sum = 0;
    char *message = NULL;
    if (sqlite3_open(":memory:", &db) || sqlite3_exec(db, script, row, &sum, &message)) {
        printf("%s\n", message ? message : "the database cannot be opened");
        fflush(stdout);
        abort();
    }
    result(sum, (size_t)sqlite3_total_changes(db));
    sqlite3_close(db);
}
