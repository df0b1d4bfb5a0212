# Files that the tool was not granted, by every path and every function.
import os, shutil, sqlite3

reached = []


def attempt(name, f):
    try:
        f()
        reached.append(name)
    except (OSError, NotImplementedError, AttributeError, ValueError, sqlite3.Error, shutil.Error):
        pass


def write(path):
    with open(path, "ab") as f:
        f.write(b"x")


def run(args):
    for path in [
        "/etc/passwd", "//etc/passwd", "/./etc/passwd", "etc/passwd", "/tool/../etc/passwd", "/workspace/../etc/passwd", "/tmp/../etc/passwd",
        "/workspace/../../../../etc/passwd", "/proc/self/environ", "/proc/self/mem", "/dev/null", "/dev/zero", "/tool/.env", "/tool/notes.txt",
        "/workspace/link", "/workspace/up/passwd", "/workspace/\0/x", "/workspace/pipe", "\\etc\\passwd", "/tool/.boot/../.env", "file:///etc/passwd",
    ]:
        attempt(f"read {path!r}", lambda: open(path, "rb").read())
        attempt(f"database {path!r}", lambda: sqlite3.connect(f"file:{path}?immutable=1".replace("\0", "%00"), uri=True).execute("select * from sqlite_master"))
    for path in ["/", "/etc", "/tool", "/tool/.boot", "/workspace", "/usr/local/lib", "/home"]:
        attempt(f"create in {path}", lambda: write(path + "/new"))
        attempt(f"mkdir in {path}", lambda: os.mkdir(path + "/new"))
        attempt(f"link in {path}", lambda: os.symlink("/etc", path + "/new"))
    for path in ["/tool/tool.py", "/tool/.boot/wasmtool.py", "/tool/.boot/__boot__.py", "/workspace/file.txt"]:
        for name, f in {
            "write": lambda: write(path), "truncate": lambda: os.truncate(path, 0), "remove": lambda: os.remove(path),
            "rename": lambda: os.rename(path, "/tmp/x"), "over": lambda: os.replace(path, path + "x"),
            "time": lambda: os.utime(path, (1, 1)), "hard link": lambda: os.link(path, "/tmp/x"), "open rw": lambda: os.close(os.open(path, os.O_RDWR)),
        }.items():
            attempt(f"{name} {path}", f)
    attempt("link in tmp", lambda: os.symlink("/etc/passwd", "/tmp/link"))
    attempt("read link in tmp", lambda: open("/tmp/link").read())
    attempt("listing", lambda: os.listdir("/etc"))
    attempt("move over tool", lambda: (write("/tmp/y"), os.rename("/tmp/y", "/tool/tool.py")))
    # Descriptors by number: what lies before and after those of the mounts.
    for fd in [-1, 9, 64, 1000, 2**31 - 1]:
        attempt(f"descriptor {fd}", lambda: os.read(fd, 1))
    attempt("directory descriptor", lambda: os.open("../etc/passwd", os.O_RDONLY, dir_fd=3))
    attempt("control", lambda: (open("/workspace/file.txt").read(), write("/tmp/z"), os.remove("/tmp/z")))
    return reached
