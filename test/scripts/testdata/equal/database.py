import sqlite3


def run(args):
    db = sqlite3.connect(":memory:")
    db.execute("create table t(id integer primary key, name text)")
    db.executemany("insert into t(name) values (?)", [(args["text"] + str(i),) for i in range(500)])
    db.create_function("double", 1, lambda x: x * 2)
    return db.execute("select count(*), max(name), double(?) from t where id % 3 = 0", (args["n"],)).fetchone()
