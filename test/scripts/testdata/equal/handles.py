import contextlib, sys


@contextlib.contextmanager
def noting(log):
    log.append("in")
    try:
        yield
    except KeyError as e:
        log.append(f"key {e}")
    finally:
        log.append("out")


def run(args):
    log = []
    for step in range(args["n"]):
        with noting(log):
            if step % 2:
                raise KeyError(step)
    try:
        raise ExceptionGroup("group", [ValueError(1), TypeError(2)])
    except* ValueError as e:
        log.append(len(e.exceptions))
    except* TypeError as e:
        log.append(repr(e.exceptions))
    return [log, sys.exc_info()[0] is None]
