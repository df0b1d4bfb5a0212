# Runs the script of a call of the tool code.
import ast, io, linecache, sys, traceback, types

import aio, asyncio, json, wasmtool

limit = 100_000  # characters of what is printed
encode = json.JSONEncoder(ensure_ascii=False).encode
helpers = {"gather", "create_task", "ensure_future", "wait_for", "wait", "as_completed"}


class Printed(io.TextIOBase):
    """Keeps the beginning of what the script prints."""

    def __init__(self):
        self.parts, self.room, self.dropped = [], limit, 0

    def writable(self):
        return True

    def write(self, text):
        kept = text[: self.room]
        self.parts.append(kept)
        self.room -= len(kept)
        self.dropped += len(text) - len(kept)
        return len(text)

    def text(self, value):
        """Returns what was printed, and a value behind it."""
        text = "".join(self.parts).removesuffix("\n")
        if self.dropped:
            text += f"\n({self.dropped} more characters were printed; print less)"
        return f"{text}\n{value}" if text and value else text or value


class Awaits(ast.NodeTransformer):
    """Makes a call of a tool awaitable where the script awaits it, or passes it to asyncio. All
    other calls return the value itself."""

    def __init__(self):
        self.inside = 0

    def visit_Await(self, node):
        node.value = self.awaitable(node.value)
        node.value = ast.copy_location(ast.Call(ast.copy_location(ast.Name("__settled", ast.Load()), node), [node.value], []), node)
        return node

    def awaitable(self, node):
        self.inside += 1
        node = self.visit(node)
        self.inside -= 1
        return node

    def visit_Call(self, node):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in helpers:
            node.func = self.visit(node.func)
            node.args = [self.awaitable(a) for a in node.args]
            node.keywords = [self.visit(k) for k in node.keywords]
            return node
        inside, self.inside = self.inside, 0
        node.args = [self.visit(a) for a in node.args]
        node.keywords = [self.visit(k) for k in node.keywords]
        self.inside = inside
        node.func = self.visit(node.func)
        return node

    def visit_Name(self, node):
        if node.id == "tools" and self.inside and isinstance(node.ctx, ast.Load):
            node.id = "__tools"
        return node

    def plainly(self, node):
        inside, self.inside = self.inside, 0
        node = self.generic_visit(node)
        self.inside = inside
        return node

    visit_Lambda = visit_FunctionDef = visit_AsyncFunctionDef = visit_Subscript = plainly


def compiled(script):
    """Returns the code of a script, and behind it the code of its last line if that is an expression."""
    tree = ast.parse(script, "script.py")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    change = lambda node: ast.fix_missing_locations(Awaits().visit(node))
    code = compile(change(tree), "script.py", "exec", flags)
    return [code, *([compile(change(ast.Expression(last.value)), "script.py", "eval", flags)] if last else [])]


COROUTINE = 0x80  # inspect.CO_COROUTINE


async def evaluated(parts, names):
    value = None
    for part in parts:
        value = eval(part, names)
        if part.co_flags & COROUTINE:
            value = await value
    return value


def run(args):
    script = args["script"]
    linecache.cache["script.py"] = (len(script), None, script.splitlines(True), "script.py")
    sys.stdin, printed = io.StringIO(args.get("stdin", "")), Printed()
    sys.stdout = sys.stderr = printed
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    names = main.__dict__
    names.update(__settled=aio.settled, __tools=aio.tools, tools=wasmtool.tools, stdin=args.get("stdin", ""))
    value = None
    try:
        parts = compiled(script)
        if any(part.co_flags & COROUTINE for part in parts):
            value = asyncio.run(evaluated(parts, names))
        else:
            for part in parts:
                value = eval(part, names)
    except SystemExit as e:
        if e.code not in (None, 0):
            return failed(printed, f"the script ended with exit({e.code!r})")
        value = None
    except wasmtool.Error as e:
        return failed(printed, str(e))
    except BaseException as e:
        return failed(printed, explain(e))
    if isinstance(value, wasmtool.Result):
        return value
    blocks = value if isinstance(value, list) else [value]
    if blocks and all(isinstance(b, wasmtool.Content) for b in blocks):
        text = printed.text("")
        return wasmtool.Result([wasmtool.text(text), *blocks] if text else blocks)
    return printed.text("" if value is None else shown(value))


def shown(value):
    """Returns JSON, or Python's notation for what JSON does not have."""
    if isinstance(value, str):
        return value
    try:
        return encode(value)
    except (TypeError, ValueError):
        return repr(value)


def failed(printed, message):
    return wasmtool.Result(printed.text(message), is_error=True)


def explain(error):
    """Returns the traceback of an exception, without the frames of wasmtool and of asyncio."""
    shown = traceback.TracebackException(type(error), error, error.__traceback__)
    shown.stack = traceback.StackSummary.from_list(frame for frame in shown.stack if frame.filename == "script.py")
    text = "".join(shown.format(chain=False)).rstrip()
    if isinstance(error, SyntaxError) and "'return' outside function" in str(error):
        text += "\nprint the result, or make it the last line of the script"
    if isinstance(error, ModuleNotFoundError):
        text += "\nscripts have the standard library of Python, without modules that need the network, threads or other processes"
    return text
