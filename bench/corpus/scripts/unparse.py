"""Tokenizes a module of Jinja, parses it, and prints it from its tree with ast.unparse."""

import ast
import io
import tokenize

from loop import loop

with open("/data/jinja2/jinja2/sandbox.py", encoding="utf-8") as f:
    SOURCE = f.read()


def run():
    tokens = tokenize.generate_tokens(io.StringIO(SOURCE).readline)
    names = {t.string for t in tokens if t.type == tokenize.NAME}
    return ast.unparse(ast.parse(SOURCE)) + " ".join(sorted(names))


loop(run)
