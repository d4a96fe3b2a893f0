"""What the tests of the server share: each test of a shell runs with every kind of I/O there is here."""

import functools
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest

from referee.server.readers import Io, available
from tests.server.sockets import Server, serve


@pytest.fixture(params=available(), ids=lambda io: io.value)
def io(request: pytest.FixtureRequest) -> Io:
    """One kind of I/O after the other."""
    return request.param


@pytest.fixture
def serving(io: Io) -> Callable[..., AbstractAsyncContextManager[Server]]:
    """Run a shell on an engine, with one kind of I/O after the other."""
    return functools.partial(serve, io=io)
