# Each call looks for what calls before it left anywhere, and then leaves that itself.
import atexit, builtins, codecs, collections, decimal, functools, gc, json, linecache, locale, logging, os, random, re
import signal, sqlite3, sys, types, warnings, weakref

import wasmtool

kept, table = [], {"a": 1}


class Holder:
    marks = []


@functools.lru_cache
def cached(n):
    return n


def first(n, default=[]):
    return default


def looked():
    """Returns the state of everything that a call changes, apart from the call's own arguments."""
    fd = os.open("/tool/tool.py", os.O_RDONLY)
    os.close(fd)
    return {
        "globals": [kept, table, sorted(globals())], "class": [Holder.marks, sorted(vars(Holder))], "default": first(0),
        "cache": str(cached.cache_info()), "builtins": sorted(vars(builtins)), "open": open.__name__,
        "modules": sorted(sys.modules), "json": [sorted(vars(json)), json.dumps.__name__], "wasmtool": sorted(vars(wasmtool)),
        "environment": dict(os.environ), "directory": os.getcwd(), "descriptor": fd, "tmp": sorted(os.listdir("/tmp")),
        "path": [sys.path, len(sys.meta_path), len(sys.path_hooks), sys.argv, sys.flags.isolated],
        "hooks": [sys.excepthook.__name__, sys.displayhook.__name__, sys.gettrace() is None, sys.getprofile() is None],
        "streams": [type(sys.stdout).__name__, type(sys.stdin).__name__, sys.stderr.name],
        "limits": [sys.getrecursionlimit(), sys.getswitchinterval(), gc.get_threshold(), gc.isenabled(), sys.get_int_max_str_digits()],
        "decimal": [decimal.getcontext().prec, decimal.DefaultContext.prec], "random": random.getstate()[1][:5],
        "atexit": atexit._ncallbacks(), "signals": str(signal.getsignal(signal.SIGINT)), "locale": locale.setlocale(locale.LC_ALL),
        "warnings": len(warnings.filters), "logging": [len(logging.root.handlers), logging.root.level, sorted(logging.root.manager.loggerDict)],
        "re": len(re._cache), "lines": sorted(linecache.cache), "memory": sys.getallocatedblocks(), "garbage": len(gc.garbage),
        "types": [str(type(kept)), collections.OrderedDict.__module__, issubclass(int, Base)], "next_id": id(object()) % 16,
    }


class Base(metaclass=type("Meta", (type,), {"known": [], "__subclasscheck__": lambda self, c: c in type(self).known})):
    pass


def leave(n):
    mark = f"mark {n}"
    kept.append(mark)
    table[mark] = mark
    globals()[mark] = mark
    Holder.marks.append(mark)
    setattr(Holder, f"mark_{n}", mark)
    first(n).append(mark)
    cached(n)
    type(Base).known.append(int)
    builtins.mark = mark
    builtins.open = lambda *a, **k: mark
    sys.modules["mark"] = types.ModuleType("mark")
    json.mark, wasmtool.mark = mark, mark
    json.dumps = wasmtool.log = lambda *a, **k: mark
    os.environ["MARK"] = mark
    os.chdir("/tool")
    os.open("/tool/tool.py", os.O_RDONLY)
    with os.fdopen(os.open(f"/tmp/{n}", os.O_WRONLY | os.O_CREAT), "w") as f:
        f.write(mark)
    db = sqlite3.connect("/tmp/db.sqlite")
    db.execute("create table t(mark)")
    db.execute("insert into t values (?)", (mark,))
    db.commit()
    kept.append(db)
    sys.path.insert(0, "/tmp")
    sys.meta_path.insert(0, type("Finder", (), {"find_spec": staticmethod(lambda *a: None)}))
    sys.excepthook = sys.displayhook = lambda *a: None
    sys.stdin = None
    sys.setrecursionlimit(500 + n % 100)
    sys.set_int_max_str_digits(5000)
    sys.setswitchinterval(1)
    gc.set_threshold(n + 1)
    gc.disable()
    decimal.getcontext().prec = decimal.DefaultContext.prec = 5
    random.seed(n)
    atexit.register(print, mark)
    signal.signal(signal.SIGINT, lambda *a: None)
    warnings.simplefilter("error")
    logging.basicConfig(level=n % 50)
    logging.getLogger(mark)
    re.compile(mark)
    linecache.cache[mark] = (1, None, [mark], mark)
    codecs.register(lambda name: None)
    gc.garbage.append(mark)
    cycle = Holder()
    cycle.me = cycle
    weakref.finalize(cycle, print, mark)
    sys.settrace(lambda *a: None)


def run(args):
    before = repr(looked())
    if args["n"]:
        leave(args["n"])
    if args.get("again"):
        before = repr(looked())
    return {"report": before}
