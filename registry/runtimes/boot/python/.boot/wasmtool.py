"""What the script of a tool can use of wasmtool; docs/scripts.md describes it."""

import base64
import json
import os
import sys

_decode = json.JSONDecoder().raw_decode


def _encoder():
    """Returns a function that json.JSONEncoder makes anew for each value, which takes most of its
    time."""
    encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
    return json.encoder.c_make_encoder(
        {}, encoder.default, json.encoder.encode_basestring, None, encoder.key_separator, encoder.item_separator, False, False, False)


_parts = _encoder()


def _encode(value):
    global _parts
    try:
        return "".join(_parts(value, 0))
    except BaseException:
        _parts = _encoder()  # it has noted what it was inside of
        raise


class Error(Exception):
    """Ends the call with a message for the caller, without a traceback."""


class HostError(Exception):
    """Says why the host refused or could not do something.

    kind is a word such as "denied" or "timeout". sent says that a request may have reached a server.
    """

    def __init__(self, kind, message, sent=False):
        super().__init__(message)
        self.kind, self.message, self.sent = kind, message, sent


_host_file = None


def _host(function, **arguments):
    global _host_file
    if _host_file is None:
        _host_file = os.open("/tool/.host", os.O_RDWR)
    os.write(_host_file, _encode({"function": function, "arguments": arguments}).encode() + b"\n")
    answer = os.read(_host_file, 1 << 16)  # a larger buffer takes longer to allocate
    while not answer.endswith(b"\n") and (part := os.read(_host_file, 1 << 20)):
        answer += part
    return _value(_decode(answer.decode())[0])


def _value(answer):
    if "error" in answer:
        error = answer["error"]
        raise HostError(error["kind"], error["message"], error.get("sent", False))
    return answer["value"]


def _bytes(value):
    if isinstance(value, str):
        return value.encode()
    return base64.b64decode(value["base64"])


def _flexible(data):
    return data if isinstance(data, str) else {"base64": base64.b64encode(data).decode()}


class Response:
    """The response to a request: status, url, headers (a dict with names in lower case) and body."""

    def __init__(self, head, body):
        self.status, self.url, self.body = head["status"], head["url"], body
        self.headers = {}
        for name, value in head["headers"]:
            name = name.lower()
            self.headers[name] = f"{self.headers[name]}, {value}" if name in self.headers else value

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.body)


def http(method, url, *, headers=None, body=b"", json=None, redirect="follow"):
    """Sends a request that the tool's permissions allow. body is bytes or a string; json is sent as JSON."""
    headers = list((headers or {}).items())
    if json is not None:
        body = _encode(json)
        headers.append(("Content-Type", "application/json"))
    head = {"method": method, "url": url, "headers": headers, "redirect": redirect}
    answer = _host("http_request", head=head, body=_flexible(body))
    handle, parts = answer["handle"], []
    try:
        while part := _bytes(_host("http_read", handle=handle, length=1 << 20)):
            parts.append(part)
    finally:
        _host("http_close", handle=handle)
    return Response(answer["head"], b"".join(parts))


class _Store:
    """The tool's own store. Values are bytes or strings; get returns bytes."""

    def get(self, key, default=None):
        try:
            return _bytes(_host("kv_get", key=key))
        except HostError as e:
            if e.kind == "not_found":
                return default
            raise

    def put(self, key, value):
        _host("kv_put", key=key, value=_flexible(value))

    def delete(self, key):
        _host("kv_delete", key=key)

    def swap(self, key, old, value):
        """Sets the key if its value is old, and reports whether it did. None means no value."""
        given = {name: _flexible(v) for name, v in (("old", old), ("value", value)) if v is not None}
        return _host("kv_swap", key=key, **given)

    def list(self, prefix="", after=""):
        """Returns up to 1,000 keys that start with prefix and sort after the key after."""
        return _host("kv_list", prefix=prefix, after=after)


kv = _Store()


class _Files:
    """The files of the tool and of the directories that it may access, as open and os have them."""

    def read(self, path):
        with open(path, "rb") as f:
            return f.read()

    def text(self, path):
        return self.read(path).decode()

    def write(self, path, data):
        with open(path, "wb") as f:
            f.write(data.encode() if isinstance(data, str) else data)

    def list(self, path="."):
        """Returns dicts with name and type: "file", "directory", "link" or "other"."""
        def kind(entry):
            if entry.is_symlink():
                return "link"
            return "file" if entry.is_file() else "directory" if entry.is_dir() else "other"

        return sorted(({"name": e.name, "type": kind(e)} for e in os.scandir(path)), key=lambda e: e["name"])


files = _Files()


class ToolResult:
    """The result of another tool: its text, content (a list of blocks) and structured value.

    value is the structured value. If there is none, it is the text, or the blocks if not all of them
    are text.
    """

    def __init__(self, fields):
        self.content = [Content(block) for block in fields.get("content") or []]
        self.structured = fields.get("structured")
        self.text = "\n".join(block["text"] for block in self.content if block["type"] == "text")
        self.value = self.structured
        if self.value is None:
            self.value = self.text if all(block["type"] == "text" for block in self.content) else self.content


def call(tool, arguments=None):
    """Calls another tool, which permissions.tools must name. A call that fails is a HostError, whose
    kind is the code of the failure."""
    return ToolResult(_host("tool_call", **_call(tool, arguments, False)))


def _call(tool, arguments, brief):
    return {"tool": tool, "arguments": arguments or {}, "brief": brief, "line": _line()}


def _brief(result):
    """Returns the value of the result of a brief call."""
    value = result.get("structured")
    return ToolResult(result).value if value is None else value


def _line():
    """Returns the line of the script that makes a call. A person who is asked about it sees it."""
    frame = sys._getframe(1)
    while frame and frame.f_globals.get("__name__") in ("wasmtool", "aio"):
        frame = frame.f_back
    return frame.f_lineno if frame else 0


class _Tool:
    """A tool as a function, and a namespace of tools."""

    def __init__(self, path, run):
        self.__path, self.__run = path, run

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Tool(f"{self.__path}.{name}", self.__run)

    def __call__(self, arguments=None, /, **named):
        return self.__run(self.__path, {**(arguments or {}), **named})


class _Tools:
    """The tools that permissions.tools names, as functions: tools.github.list_issues(state="open")
    returns the value of the result. tools["any-name"] means a tool by its name."""

    def __init__(self, run):
        self.__run = run

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Tool(name, self.__run)

    def __getitem__(self, name):
        return _Tool(name, self.__run)

    def search(self, query="", limit=20):
        """Returns dicts with name, signature and description of tools that match a query."""
        return _host("tool_search", query=query, language="python", limit=limit)

    def call(self, tool, arguments=None):
        """Calls a tool and returns its whole result, a ToolResult."""
        return call(tool, arguments)


tools = _Tools(lambda path, arguments: _brief(_host("tool_call", **_call(path, arguments, True))))


def secret_exists(name):
    """Reports whether the operator has a secret that the tool may use. No script can read a secret."""
    return _host("secret_exists", name=name)


_LEVELS = {"debug": 0, "info": 1, "warning": 2, "error": 3}


def log(text, level="info"):
    """Logs a line with the level "debug", "info", "warning" or "error"."""
    _host("log", level=_LEVELS[level], text=str(text))


def progress(done, total=0, message=""):
    """Reports progress in the tool's own units. A total of 0 means that it is unknown."""
    _host("progress", done=done, total=total, message=message)


def update(title="", metadata=None, partial=None):
    """Reports what the call is doing, and the result so far as text."""
    content = [] if partial is None else [{"type": "text", "text": partial}]
    _host("update", title=title, metadata=metadata or {}, content=content)


def context():
    """Returns what is known of the call: tool, call_id, session, settings and more, if set."""
    return _host("context_read")


class Content(dict):
    """A block of a result. run may return one, or a list of blocks and strings."""


def text(value):
    return Content(type="text", text=value)


def image(data, mime_type="image/png"):
    return Content(type="image", data=base64.b64encode(data).decode(), mimeType=mime_type)


def audio(data, mime_type="audio/wav"):
    return Content(type="audio", data=base64.b64encode(data).decode(), mimeType=mime_type)


def resource(uri, mime_type, content):
    """A file in the result. content is a string or bytes."""
    key, value = ("text", content) if isinstance(content, str) else ("blob", base64.b64encode(content).decode())
    return Content(type="resource", resource={"uri": uri, "mimeType": mime_type, key: value})


class Result:
    """A whole result: blocks or strings, a value for programs, and more of docs/native.md."""

    def __init__(self, content=None, structured=None, **more):
        self.fields = more
        if content is not None:
            self.fields["content"] = content if isinstance(content, list) else [content]
        if structured is not None:
            self.fields["structured"] = structured


def _result(value, typed):
    """Returns the JSON text of a result. typed says that the manifest describes the result."""
    if not isinstance(value, Result):
        is_blocks = isinstance(value, list) and any(isinstance(block, Content) for block in value)
        if isinstance(value, Content) or is_blocks or isinstance(value, str) and not typed:
            value = Result(value)
        elif value is None and not typed:
            value = Result([])
        else:
            return _encode({"structured": value})
    blocks = value.fields.get("content")
    if blocks is not None:
        value.fields["content"] = [text(b) if isinstance(b, str) else b for b in blocks]
    return _encode(value.fields)
