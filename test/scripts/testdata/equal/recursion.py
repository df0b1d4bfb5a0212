import sys


def depth(n=0):
    try:
        return depth(n + 1)
    except RecursionError:
        return n


def ackermann(m, n):
    return n + 1 if m == 0 else ackermann(m - 1, 1) if n == 0 else ackermann(m - 1, ackermann(m, n - 1))


def run(args):
    return [depth() > 500, depth() == depth(), ackermann(2, args["n"]), sys.getrecursionlimit()]
