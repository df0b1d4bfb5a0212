# What a process can usually do.
import os, signal, sys, time

reached = []


def attempt(name, f):
    try:
        f()
        reached.append(name)
    except (OSError, ImportError, AttributeError, NotImplementedError, RuntimeError, ValueError, KeyError):
        pass


def imports(name):
    return lambda: __import__(name)


def run(args):
    import asyncio, socket, subprocess, threading
    for module in ["ctypes", "multiprocessing", "_ctypes", "ssl", "_socket_native", "mmap", "fcntl", "resource", "pty", "termios", "_posixsubprocess", "_multiprocessing", "lzma", "grp", "syslog", "readline"]:
        attempt(module, imports(module))
    attempt("connect", lambda: socket.create_connection(("127.0.0.1", 80), 1))
    attempt("listen", lambda: socket.create_server(("127.0.0.1", 0)))
    attempt("socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 53)))
    attempt("from descriptor", lambda: socket.socket(fileno=3).send(b"x"))
    attempt("resolve", lambda: socket.getaddrinfo("example.com", 80))
    attempt("asyncio", lambda: asyncio.run(asyncio.sleep(0)))
    attempt("urllib", lambda: __import__("urllib.request").request.urlopen("http://127.0.0.1/"))
    attempt("subprocess", lambda: subprocess.run(["/bin/sh", "-c", "id"]))
    attempt("system", lambda: os.system("id"))
    attempt("popen", lambda: os.popen("id").read())
    for name in ["fork", "forkpty"]:
        attempt(name, lambda: getattr(os, name)())
    attempt("execv", lambda: os.execv("/bin/sh", ["sh"]))
    attempt("posix_spawn", lambda: os.posix_spawn("/bin/sh", ["sh"], {}))
    attempt("kill", lambda: os.kill(1, 9))
    attempt("kill itself", lambda: os.kill(os.getpid(), signal.SIGKILL))
    attempt("alarm", lambda: signal.alarm(1))
    attempt("timer", lambda: signal.setitimer(signal.ITIMER_REAL, 0.001))
    attempt("thread", lambda: threading.Thread(target=print).start())
    attempt("setuid", lambda: os.setuid(0))
    attempt("chroot", lambda: os.chroot("/"))
    attempt("user", lambda: os.getlogin())
    attempt("processors", lambda: os.sched_getaffinity(0))
    attempt("pipe", lambda: os.pipe())
    attempt("environment", lambda: os.environ["PATH"])
    attempt("name of the host", lambda: socket.gethostname())
    attempt("control", lambda: time.sleep(0))
    return [reached, sys.platform, dict(os.environ), os.getcwd()]
