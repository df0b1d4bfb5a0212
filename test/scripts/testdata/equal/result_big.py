def run(args):
    return ["x" * 100 for _ in range(args["n"] * 1000)]
