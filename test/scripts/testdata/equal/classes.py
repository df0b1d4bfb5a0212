import abc, dataclasses, enum, typing, weakref


class Color(enum.Enum):
    RED = 1
    BLUE = enum.auto()


@dataclasses.dataclass(order=True, slots=True)
class Point:
    x: int
    y: int = 0


class Base(abc.ABC):
    made = []

    def __init_subclass__(cls):
        Base.made.append(cls.__name__)

    @abc.abstractmethod
    def area(self): ...


class Square(Base):
    def area(self):
        return 4


class Node:
    pass


class Pair(typing.NamedTuple):
    a: int
    b: str


def run(args):
    exec("class Late(Base):\n    def area(self): return 1", globals())
    node = Node()
    ref = weakref.ref(node)
    node.me = node
    del node
    import gc
    collected = gc.collect() > 0
    match Pair(args["n"], args["text"]):
        case Pair(7, b):
            matched = f"seven {b}"
        case Pair(a, _):
            matched = a
    return [Base.made, [c.name for c in Color], str(sorted([Point(2), Point(1, args["n"])])), ref() is None, collected, matched]
