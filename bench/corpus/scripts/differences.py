"""Compares two modules of Jinja with difflib, which is written in Python."""

from difflib import unified_diff, SequenceMatcher

from loop import loop


def source(name):
    with open(f"/data/jinja2/jinja2/{name}.py", encoding="utf-8") as f:
        return f.read().splitlines(keepends=True)


A, B = source("parser"), source("lexer")


def run():
    similar = SequenceMatcher(None, "".join(A[:60]), "".join(B[:60])).ratio()
    return f"{similar}\n" + "".join(unified_diff(A, B))


loop(run)
