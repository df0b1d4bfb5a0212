# Work without end, in Python and in C.
import itertools, re, sys

import wasmtool


def forever(f):
    while True:
        f()


def run(args):
    {
        "loop": lambda: forever(lambda: None), "regex": lambda: re.fullmatch("(a+)+b", "a" * 64), "sum": lambda: sum(itertools.count()),
        "power": lambda: pow(3, 10**9), "logs": lambda: forever(lambda: wasmtool.log("x" * 1000)),
        "progress": lambda: forever(lambda: wasmtool.progress(1)), "store": lambda: forever(lambda: wasmtool.kv.put("a", "b")),
        "errors": lambda: forever(lambda: sys.stderr.write("x" * 10000)), "catches": lambda: catches(),
    }[args["spin"]]()
    return "done"


def catches():
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
