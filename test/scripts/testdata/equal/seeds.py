import random

random.seed(42)
first = random.random()
own = random.Random(7)
own.random()


def run(args):
    again = random.Random(args["n"])
    return [first, random.random(), random.sample(range(100), 5), own.gauss(0, 1), again.random(), random.getstate()[1][-1]]
