# Runs the script of a tool. What happens before the input is read is saved, and each call gets a
# copy of it. So nothing may be random or depend on the call until then, and afterwards the random
# numbers are seeded again.
import atexit, gc, io, json, os, random, sys, traceback, types

sys.path += ["/tool/.boot", "/tool", "/tool/vendor"]
import wasmtool


class Start(random.Random):
    """The generator of the module random while the script is imported.

    Numbers that the script draws from it are real, so that the start is not saved. If the script
    sets the seed, it gets the numbers of that seed, in every call.
    """

    ready = False  # the numbers are those that the script must get

    def seed(self, a=None, version=2):
        Start.ready = True
        random.Random.seed(self, a, version)

    def setstate(self, state):
        Start.ready = True
        random.Random.setstate(self, state)

    def random(self):
        prepare(self)
        return random.Random.random(self)

    def getrandbits(self, k):
        prepare(self)
        return random.Random.getrandbits(self, k)


def prepare(generator):
    """Seeds the generator of the module random, unless it has the numbers that the script must get."""
    if not Start.ready:
        Start.ready = True
        random.Random.seed(generator)


def use_generator(kind):
    """Makes the functions of the module random those of a class."""
    random._inst.__class__ = kind
    for name in "seed", "setstate", "random", "getrandbits":
        setattr(random, name, getattr(random._inst, name))


def end(status, message=""):
    """Ends the call. The message is for the caller."""
    try:
        if form == "program":
            atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        write(2, message.encode("utf-8", "backslashreplace") + b"\n" if message else b"")
        os._exit(status)


def write(fd, text):
    while text:
        text = text[write_some(fd, text) :]


def fail(message):
    """Ends the call with an error. For a function, the error is a result."""
    if form == "program":
        end(1, message)
    content = [{"type": "text", "text": message.encode("utf-8", "backslashreplace").decode()}]
    write(1, encode_json({"content": content, "is_error": True}).encode())
    end(0)


def explain(error):
    """Returns the message for an exception of the script."""
    if isinstance(error, wasmtool.Error):
        return str(error)
    frames = error.__traceback__
    while frames and frames.tb_frame.f_globals is globals():
        frames = frames.tb_next
    shown = traceback.TracebackException(type(error), error, frames)
    # What wasmtool does inside of its functions helps no author.
    shown.stack[:] = [frame for frame in shown.stack if frame.filename != "/tool/.boot/wasmtool.py"]
    message = "".join(shown.format()).rstrip()
    if isinstance(error, ModuleNotFoundError):
        message += "\n" + missing(error.name or "")
    if isinstance(error, FileNotFoundError) and "temporary directory" in str(error):
        message += '\nfor a temporary directory, write into tool.toml: permissions.fs = [{ mount = "tmp", mode = "write" }]'
    return message


def missing(module):
    """Says what to do about a module that cannot be imported."""
    if module.partition(".")[0] in sys.stdlib_module_names:
        return f"{module} is part of Python, but does not work in the sandbox"
    return f"put the module {module} next to {name}, or run 'wasmtool vendor' with its wheel or directory; modules with native code cannot be used"


def check_names():
    """Refuses a module that would hide one of the standard library, or be hidden by it."""
    for entry in sorted(os.listdir("/tool")):
        module = entry.removesuffix(".py")
        if (module != entry or not "." in entry) and (module in sys.stdlib_module_names or module == "wasmtool"):
            fail(f"{entry} has the name of a module of Python or of wasmtool; rename it")


def defines_run(tree):
    """Reports whether a module assigns run at its top level."""
    for node in tree.body:
        named = [getattr(node, "name", None)]
        named += [a.asname or a.name for a in getattr(node, "names", []) if hasattr(a, "asname")]
        named += [getattr(t, "id", None) for t in getattr(node, "targets", [])]
        if "run" in named:
            return True
    return False


def standard_imports(tree):
    """Returns the modules of the standard library that a program imports at its top level."""
    for node in tree.body:
        if type(node).__name__ == "Import":
            modules = [alias.name for alias in node.names]
        elif type(node).__name__ == "ImportFrom" and node.level == 0:
            modules = [node.module]
        else:
            continue
        yield from (m for m in modules if m.partition(".")[0] in sys.stdlib_module_names)


def load():
    """Prepares the script, and returns the module and its code. A function is imported now, and a
    program runs later."""
    path = "/tool/" + name
    with open(path, "rb") as f:
        source = f.read()
    tree = compile(source, path, "exec", 0x400)  # ast.PyCF_ONLY_AST
    module = types.ModuleType("__main__" if form == "program" else name.removesuffix(".py").rpartition("/")[2])
    module.__file__ = path
    modules = preload
    sys.modules[module.__name__] = module
    if form == "program":
        modules = [*preload, *standard_imports(tree)]
    elif not defines_run(tree):
        fail(f"{name} defines no function run; write 'def run(args):', or program = true in [script] if it reads its standard input")
    for other in modules:
        try:
            __import__(other)
        except ImportError as e:
            if form == "program" and other in sys.stdlib_module_names:
                continue  # the script may never use it
            fail(f"preload: {other} cannot be imported: {e}")
    code = compile(tree, path, "exec")
    if form != "program":
        exec(code, module.__dict__)
    return module, code


def serve(module, code, given):
    """Runs a call, and returns the value that run returns. A program does not return."""
    if form != "program":
        value = module.run(decode_json(given))
        if isinstance(value, types.CoroutineType):
            fail("run is an async function; write a plain one")
        return value
    sys.stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    exec(code, module.__dict__)
    end(0)


def main():
    check_names()
    if form != "program":
        sys.stdout = sys.stderr  # the standard output has the result
    use_generator(Start)
    try:
        module, code = load()
    except BaseException as e:
        fail(explain(e))
    use_generator(random.Random)
    gc.collect()
    gc.freeze()
    given = sys.stdin.buffer.read()
    prepare(random._inst)
    try:
        value = serve(module, code, given)
    except SystemExit as e:
        if form == "program":
            end(e.code if isinstance(e.code, int) else 1 if e.code else 0, e.code if isinstance(e.code, str) else "")
        fail(f"the script ended with exit({e.code!r}); run must return a result, or raise wasmtool.Error")
    except BaseException as e:
        fail(explain(e))
    try:
        text = encode_result(value, form == "typed").encode()
    except UnicodeEncodeError:
        fail("the result of run has half of a surrogate pair, which is not text")
    except BaseException as e:
        fail(f"the result of run is not JSON: {e}")
    write(1, text)
    end(0)


# The script may replace functions of these modules, and its result is encoded all the same.
encode_result, encode_json, decode_json, write_some = wasmtool._result, wasmtool._encode, json.loads, os.write
name, form, preload, *arguments = sys.argv[1:]
preload = preload.split(",") if preload else []
sys.argv[:] = ["/tool/" + name, *arguments]
main()
