import functools

seen = []
table = {str(n): n * n for n in range(1000)}


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


fib(30)


def run(args, kept=[]):
    seen.append(args)
    kept.append(args["n"])
    run.calls = getattr(run, "calls", 0) + 1
    table.pop(str(args["n"]))
    info = fib.cache_info()
    fib(40 + args["n"])
    return [len(seen), kept, run.calls, len(table), list(info), list(fib.cache_info())]
