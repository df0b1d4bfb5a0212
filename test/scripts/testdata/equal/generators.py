def walk(tree):
    for node in tree:
        if isinstance(node, list):
            yield from walk(node)
        else:
            got = yield node
            if got:
                yield f"got {got}"


async def steps(n):
    for i in range(n):
        yield i


async def total(n):
    return sum([i async for i in steps(n)])


started = walk([1, [2, [3]], 4])
next(started)


def run(args):
    out = [next(started), started.send("x"), *started]
    try:
        total(args["n"]).send(None)
    except StopIteration as e:
        out.append(e.value)
    return out
