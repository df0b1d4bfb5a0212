# What one tenant sees of another one's image.
import os, random, secrets, uuid

marks = []
names = {"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"}


def run(args):
    marks.append(args["mark"])
    os.environ["MARK"] = args["mark"]
    return [marks, [hash("x"), hash(b"y"), repr(names)], [random.random(), secrets.token_hex(8), str(uuid.uuid4()), random.Random().random()]]
