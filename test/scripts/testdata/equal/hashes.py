# Without permissions.random, the seed of hashes is the same in every call.
names = {"alpha", "beta", "gamma", "delta", "epsilon"}


def run(args):
    other = set(args["text"].split())
    return [list(names), list(other), hash(args["text"]), hash("x") == hash("x"), id(names) == id(names)]
