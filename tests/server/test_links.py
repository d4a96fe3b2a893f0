"""One connection's bytes: partial sends, waiting for the socket, and ends."""

import socket

import pytest
import trio

from referee.server.links import Link, Phase

PATIENCE_S = 30


@pytest.fixture
def ends():
    """A link whose socket takes little at a time, and the other end."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    link = Link(ours, 1)
    yield link, theirs
    ours.close()
    theirs.close()


DATA = bytes(range(256)) * 2048
"""Half a mebibyte."""


async def read_all(sock, size):
    """Read so many bytes, or up to the end."""
    found = b""
    while len(found) < size:
        await trio.lowlevel.wait_readable(sock)
        data = sock.recv(min(65536, size - len(found)))
        if not data:
            break
        found += data
    return found


async def test_what_the_socket_does_not_take_is_kept_and_sent_in_order(ends):
    """Three sends into a full socket: nothing is lost, doubled or out of order."""
    link, theirs = ends
    link.send(DATA)
    kept = link.unsent
    link.send(b"second")
    link.send(b"third")

    assert 0 < kept < len(DATA)
    assert kept + len(b"secondthird") == link.unsent

    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(link.flush, 30)
            found = await read_all(theirs, len(DATA) + 11)

    assert DATA + b"secondthird" == found
    assert 0 == link.unsent


async def test_a_second_flusher_waits_for_all_as_well(ends):
    """Both return when the last byte has left, and not before; a third finds nothing to do."""
    link, theirs = ends
    link.send(DATA)
    returned = []

    async def flush(name):
        await link.flush(30)
        returned.append((name, link.unsent))

    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(flush, "first")
            nursery.start_soon(flush, "second")
            await trio.testing.wait_all_tasks_blocked()

            assert [] == returned

            await read_all(theirs, len(DATA))
        await link.flush(30)

    assert [("first", 0), ("second", 0)] == sorted(returned)


async def test_what_is_sent_during_a_flush_goes_with_it(ends):
    """The flusher that waits sends that too."""
    link, theirs = ends
    link.send(DATA)
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(link.flush, 30)
            await trio.testing.wait_all_tasks_blocked()
            link.send(b"more")
            found = await read_all(theirs, len(DATA) + 4)

    assert DATA + b"more" == found


async def test_closing_wakes_who_waits(ends):
    """A flush that can never end returns when the link is closed; closing twice is once."""
    link, _ = ends
    link.send(DATA)
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(link.flush, 30)
            nursery.start_soon(link.flush, 30)
            await trio.testing.wait_all_tasks_blocked()
            link.close()
            link.close()

    assert (Phase.CLOSED, 0) == (link.phase, link.unsent)


async def test_a_peer_that_is_gone_takes_the_rest_with_it(ends):
    """Sending to a closed end loses the bytes and raises nothing; the reader learns of it."""
    link, theirs = ends
    theirs.close()
    link.send(DATA)
    link.send(DATA)

    assert 0 == link.unsent
    await link.flush(30)


async def test_a_flush_ends_when_the_peer_goes(ends):
    """The other end closes while bytes wait: they are given up."""
    link, theirs = ends
    link.send(DATA)
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(link.flush, 30)
            await trio.testing.wait_all_tasks_blocked()
            theirs.close()

    assert 0 == link.unsent


async def test_a_cancelled_flush_lets_others_try(ends):
    """Whoever flushed is cancelled: the one that waited for it returns, and a new one can send the rest."""
    link, theirs = ends
    link.send(DATA)
    with trio.fail_after(PATIENCE_S):
        with trio.CancelScope() as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(link.flush, 30)
                await trio.testing.wait_all_tasks_blocked()
                scope.cancel()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(link.flush, 30)
            found = await read_all(theirs, len(DATA))

    assert DATA == found


async def test_shut_lets_the_peer_read_the_last_message_and_the_end(ends):
    """The sending side is ended, the other one still reads what the peer says."""
    link, theirs = ends
    link.send(b"last")
    link.shut()
    link.shut()
    theirs.send(b"still here")

    assert b"last" == theirs.recv(100)
    assert b"" == theirs.recv(100)
    assert b"still here" == link.sock.recv(100)


async def test_part_reads_what_is_there_before_it_closes(ends):
    """What has arrived is read away; on TCP the kernel would otherwise reset the connection."""
    link, theirs = ends
    theirs.send(b"x" * 1000)
    link.send(b"last")
    link.part()

    assert b"last" == theirs.recv(100)
    assert b"" == theirs.recv(100)
    assert Phase.CLOSED is link.phase


async def test_a_byte_now_and_then_does_not_extend_the_patience(ends, autojump_clock):
    """The peer reads a byte every ten seconds: after thirty the flush gives up, and keeps the rest."""
    link, theirs = ends
    link.send(DATA)
    begun = trio.current_time()

    async def read_slowly():
        while True:
            theirs.recv(1)
            await trio.sleep(10)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read_slowly)
        in_time = await link.flush(30)
        took = trio.current_time() - begun
        nursery.cancel_scope.cancel()

    assert (False, True) == (in_time, link.unsent > 0)
    assert 30 == pytest.approx(took)


async def test_who_takes_all_that_waited_within_the_time_may_be_behind_for_ever(ends, autojump_clock):
    """Half a mebibyte is added and another is read every 20 seconds: never all of it, never too late."""
    link, theirs = ends
    link.send(DATA)
    begun = trio.current_time()
    behind = []

    async def read_on():
        for _ in range(10):
            await trio.sleep(20)
            link.send(DATA)
            await read_all(theirs, len(DATA))
            behind.append(link.unsent)
        await read_all(theirs, len(DATA))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read_on)
        in_time = await link.flush(30)
        took = trio.current_time() - begun

    assert (True, 0) == (in_time, link.unsent)
    assert all(behind)
    assert 200 == pytest.approx(took)
