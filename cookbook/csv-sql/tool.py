import csv
import os
import re
import sqlite3

import wasmtool

NUMBER = re.compile(r"-?[0-9]{1,19}(\.[0-9]+)?")


def run(args):
    # The database is in memory, and the files can only be read: no query can change anything.
    db = sqlite3.connect(":memory:")
    tables = [load(db, path) for path in args["files"]]
    try:
        found = db.execute(args["query"])
        rows = found.fetchmany(args["limit"] + 1)
    except (sqlite3.Error, sqlite3.Warning) as e:
        raise wasmtool.Error(f"{e}; the tables are: {', '.join(tables)}")
    if found.description is None:
        raise wasmtool.Error("the query returns no rows; write a SELECT")
    return {
        "columns": [column[0] for column in found.description],
        "rows": rows[: args["limit"]],
        "more": len(rows) > args["limit"],
    }


def load(db, path):
    """Makes a table of a file, and returns its name and columns for messages."""
    name = os.path.splitext(os.path.basename(path))[0]
    try:
        with open(path, newline="", encoding="utf-8-sig") as f:
            lines = csv.reader(f)
            columns = next(lines, [])
            if not columns:
                raise wasmtool.Error(f"{path}: the file is empty")
            db.execute(f"CREATE TABLE {quoted(name)} ({', '.join(map(quoted, columns))})")
            insert = f"INSERT INTO {quoted(name)} VALUES ({', '.join('?' * len(columns))})"
            for row in lines:
                if row and len(row) != len(columns):
                    raise wasmtool.Error(f"{path}:{lines.line_num}: the line has {len(row)} values, and the first line has {len(columns)}")
                if row:
                    db.execute(insert, [value(text) for text in row])
    except OSError as e:
        raise wasmtool.Error(f"{path}: {e.strerror}")
    except (UnicodeDecodeError, csv.Error, sqlite3.Error) as e:
        raise wasmtool.Error(f"{path}: {e}")
    return f"{name}({', '.join(columns)})"


def value(text):
    """Returns a number if it keeps its form, so that codes such as 007 stay as they are."""
    if text == "":
        return None
    if NUMBER.fullmatch(text):
        number = float(text) if "." in text else int(text)
        if str(number) == text and abs(number) < 2**63:  # the integers of SQLite
            return number
    return text


def quoted(name):
    return '"' + name.replace('"', '""') + '"'
