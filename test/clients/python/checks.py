"""
The checks of a Python client. Each is a function with the name of its row in the table; `run` calls those of the group that the command
line names, in their order, and prints a line of JSON for each.
"""

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

#: Where the service is, its objects and its users; written by main.ts.
CONFIG = SimpleNamespace(**json.loads(os.environ['CLIENT_CHECKS']))

_checks: list[tuple[str, str, Callable[[], object]]] = []


class _Cannot(Exception):
    """The client has no way to do this."""


def check(name: str, group: str = 'calls'):
    """Declares a check: it fails when it raises or returns False. A text that it returns is shown."""

    def declare(work: Callable[[], object]) -> Callable[[], object]:
        _checks.append((group, name, work))
        return work

    return declare


def cannot(name: str, reason: str, group: str = 'calls') -> None:
    """Declares what the client has no way to do."""

    def refuse() -> None:
        raise _Cannot(reason)

    _checks.append((group, name, refuse))


def raises(work: Callable[[], object], *kinds: type[BaseException]) -> BaseException:
    """Calls what has to raise one of these exceptions, and returns it."""
    try:
        outcome = work()
    except kinds as error:
        return error

    raise AssertionError(f'no exception, but {outcome!r:.200}')


def ask_service(what: str) -> None:
    """Has main.ts do something with the service, and waits until it is done."""
    print(json.dumps({'ask': what}), flush=True)
    answer = sys.stdin.readline().strip()
    assert answer == 'done', answer


def in_threads(count: int, times: int, work: Callable[[], bool]) -> None:
    """Calls something so many times in each thread; all calls have to return True."""
    with ThreadPoolExecutor(count) as pool:
        outcomes = list(pool.map(lambda _: all(work() for _ in range(times)), range(count)))

    assert outcomes == [True] * count, outcomes


def bytes_of(size: int) -> bytes:
    """Bytes with every value, line ends and markers of segments among them, different for each size."""
    block = b"\n#\n#\n@\n%d\n" % size + bytes(range(256))
    return (block * (size // 256 + 1))[:size]


def run() -> None:
    for group, name, work in _checks:
        if group != sys.argv[1]:
            continue

        started = time.monotonic()
        result, detail = 'ok', ''
        try:
            outcome = work()
            if outcome is False:
                raise AssertionError('not as expected')

            detail = outcome if isinstance(outcome, str) else ''
        except _Cannot as reason:
            result, detail = 'cannot', str(reason)
        except BaseException:
            result, detail = 'failed', traceback.format_exc()

        print(json.dumps({'name': name, 'result': result, 'detail': detail, 'seconds': round(time.monotonic() - started, 1)}), flush=True)
