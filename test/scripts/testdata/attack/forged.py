# Requests to the host's file that are wrong in every way. Each has an answer with the kind
# "request" or is refused while it is written, and the next sound request works.
import json, os

import wasmtool


def ask(*parts):
    fd = os.open("/tool/.host", os.O_RDWR)
    try:
        for part in parts:
            os.write(fd, part)
        answer = b""
        while part := os.read(fd, 1 << 20):
            answer += part
        return json.loads(answer) if answer else None
    finally:
        os.close(fd)


def request(function, arguments):
    return json.dumps({"function": function, "arguments": arguments}).encode() + b"\n"


def run(args):
    wrong = [
        b"\n", b"null\n", b"[]\n", b"{}\n", b"x\n", b"\xff\xfe\n", b"\0\n", b'"kv_get"\n', b'{"function": 1}\n',
        b'{"function": "kv_get"\n', b'{"function": "kv_get", "arguments": {"key": 1}}\n', b'{"function": "kv_get", "arguments": []}\n',
        b'{"function": "secret_read", "arguments": {"name": "TOKEN"}}\n',
        b'{"function": "__proto__", "arguments": {}}\n', b'{"function": "kv_list", "arguments": {}} {}\n',
        b"[" * 1000000 + b"\n", b'{"function": "kv_list", "arguments": ' + b'{"a":' * 100000 + b"1" + b"}" * 100000 + b"}\n",
        request("http_read", {"handle": 1, "length": 1 << 40}), request("http_read", {"handle": -1, "length": 1}),
        request("kv_put", {"key": "a", "value": {"base64": "?"}}), request("kv_put", {"key": "a", "value": 1}),
        request("log", {"level": -1, "text": "x"}), request("progress", {"done": "x"}), request("update", {"content": 1})[:-1] + b"}\n",
        request("kv_list", {}) + request("kv_list", {}),
    ]
    out = []
    for i, line in enumerate(wrong):
        answer = ask(line)
        if answer is None or answer.get("error", {}).get("kind") not in ("request", "invalid", "update"):
            out.append([i, repr(answer)[:200]])
    # What fits no request.
    for function, arguments, kind in [
        ("http_read", {"handle": 4000000000, "length": 1}, "handle"), ("http_read", {"handle": 0, "length": 4294967295}, "handle"),
        ("http_close", {"handle": 7}, "handle"), ("kv_get", {"key": ""}, None), ("kv_get", {"key": "k" * 1000000}, None),
        ("kv_put", {"key": "a", "value": "v" * (15 << 20)}, None), ("secret_exists", {"name": "N" * 1000000}, None),
    ]:
        answer = ask(request(function, arguments))
        if answer.get("value"):
            out.append([function, answer])
    # Too large, in one piece and in many; unfinished; nothing at all.
    for parts in [[b"x" * (17 << 20) + b"\n"], [b"x" * (1 << 20)] * 17]:
        try:
            ask(*parts)
            out.append("17 MiB")
        except OSError:
            pass
    for parts in [[], [b'{"function"'], [b""]]:
        if ask(*parts) is not None:
            out.append(parts)
    # As a file it is only a device, and cannot be replaced.
    for name, attempt in {
        "seek": lambda fd: os.lseek(fd, 1, 0), "truncate": lambda fd: os.ftruncate(fd, 1), "pread": lambda fd: os.pread(fd, 1, 0),
        "list": lambda fd: os.listdir("/tool/.host"), "remove": lambda fd: os.remove("/tool/.host"),
        "rename": lambda fd: os.rename("/tool/.host", "/tmp/host"), "link": lambda fd: os.link("/tool/.host", "/tmp/host"),
    }.items():
        fd = os.open("/tool/.host", os.O_RDWR)
        try:
            attempt(fd)
            out.append(name)
        except OSError:
            pass
        os.close(fd)
    # Many, and many at once.
    for _ in range(2000):
        ask(b"\n")
    held = []
    try:
        while len(held) < 5000:
            held.append(os.open("/tool/.host", os.O_RDWR))
    except OSError:
        pass
    if len(held) > 4:
        out.append(f"{len(held)} open files")
    for fd in held:
        os.close(fd)
    wasmtool.kv.put("sound", "yes")
    return [out, wasmtool.kv.get("sound").decode()]
