# Work that runs in C, out of reach of the interpreter's own checks. Each fails by itself or ends the call.
import ast, functools, itertools, json, pickle, re

import wasmtool

nested = functools.reduce(lambda a, _: [a], range(100000), 0)


def bombs():
    return {
        "repr": lambda: repr(nested), "dumps": lambda: json.dumps(nested), "loads": lambda: json.loads("[" * 1000000),
        "pickle": lambda: pickle.dumps(nested), "compare": lambda: nested == functools.reduce(lambda a, _: [a], range(100000), 0),
        "parse": lambda: ast.parse("(" * 100000), "eval": lambda: eval("-" * 1000000 + "1"), "compile": lambda: compile("x" + ".y" * 1000000, "x", "eval"),
        "regex": lambda: re.compile("(" * 100000 + ")" * 100000), "chain": lambda: list(functools.reduce(lambda a, _: itertools.chain(a), range(1000000), [])),
        "power": lambda: 2 ** (1 << 40), "bytes": lambda: bytes(1 << 33), "join": lambda: "x".join("y" * (1 << 29)),
        "string": lambda: str(10**100000), "format": lambda: "{:2000000000}".format(1), "range": lambda: list(range(1 << 31)),
        "memory": lambda: [bytearray(1 << 20) for _ in range(1 << 20)],
    }


def run(args):
    try:
        bombs()[args["bomb"]]()
        return "done"
    except (RecursionError, MemoryError, OverflowError, ValueError, SyntaxError) as e:
        return "stopped"
