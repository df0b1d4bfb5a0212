class Bad(Exception):
    def __init__(self, n):
        super().__init__(f"bad {n}")
        self.add_note("a note of the script")


def inner(n):
    try:
        return [][n]
    except IndexError as e:
        raise Bad(n) from e


def run(args):
    inner(args["n"])
