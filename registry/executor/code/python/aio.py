# Lets scripts await tools. The calls that wait at the same time are made together.
import asyncio, time

import wasmtool

waiting = []  # pairs of a call and its future


def start(path, arguments):
    """Returns the future of the value of a call."""
    future = asyncio.get_running_loop().create_future()
    waiting.append((wasmtool._call(path, arguments, True), future))
    return future


class Calls:
    """Makes the waiting calls when nothing else can run. The loop thinks that it selects files."""

    def select(self, timeout=None):
        if not waiting:
            if timeout is None:
                raise wasmtool.Error("the script waits for something that nothing will do")
            time.sleep(timeout)
            return []
        made = [pair for pair in waiting if not pair[1].done()]
        if timeout == 0 and len(made) < most:
            return []  # other tasks may begin calls first
        waiting.clear()
        if not made:
            return []
        for (_, future), answer in zip(made, wasmtool._host("tool_calls", calls=[call for call, _ in made])):
            try:
                future.set_result(wasmtool._brief(wasmtool._value(answer)))
            except wasmtool.HostError as e:
                future.set_exception(e)
        return []

    def close(self):
        pass


most = 100  # calls that are made together


class Loop(asyncio.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = Calls()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass


class Policy(asyncio.events.BaseDefaultEventLoopPolicy):
    _loop_factory = Loop


asyncio.set_event_loop_policy(Policy())


async def settled(value):
    """Returns the value that is awaited. A tool that was called plainly has returned it already."""
    return await value if hasattr(value, "__await__") else value


gather = asyncio.gather


def gather_all(*values, **options):
    return gather(*map(settled, values), **options)


asyncio.gather = gather_all
tools = wasmtool._Tools(start)
