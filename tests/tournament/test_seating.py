"""Who gets which seat of a table."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from referee.tournament.seating import seat_order, seats_repeated


def test_two_swap_seats_when_that_repeats_less() -> None:
    """Who sat first before sits second now; with nothing to choose the given order stays."""
    assert (1, 0) == seat_order((0, 1), [[1, 0], [0, 1]])
    assert (0, 1) == seat_order((0, 1), [[1, 1], [1, 1]])


def test_three_rotate_into_the_seats_that_they_have_not_had() -> None:
    """Each has one seat left that it never had, and gets it."""
    counts = [[1, 1, 0], [0, 1, 1], [1, 0, 1]]

    assert (1, 2, 0) == seat_order((0, 1, 2), counts)


@given(
    st.integers(2, 5).flatmap(
        lambda size: st.lists(
            st.lists(st.integers(0, 4), min_size=size, max_size=size), min_size=size, max_size=size
        )
    )
)
def test_no_other_order_repeats_fewer_seats(counts: list[list[int]]) -> None:
    """The order found is a seating of the same members, and as good as the best of all orders."""
    members = range(len(counts))
    order = seat_order(members, counts)

    assert list(members) == sorted(order)
    assert min(seats_repeated(other, counts) for other in permutations(members)) == seats_repeated(
        order, counts
    )


def test_ten_sit_on_every_seat_once_in_ten_rounds() -> None:
    """A full table that is seated round after round gives everybody every seat once, then again."""
    counts = [[0] * 10 for _ in range(10)]
    for _ in range(20):
        for place, member in enumerate(seat_order(range(10), counts)):
            counts[member][place] += 1

    assert [[2] * 10] * 10 == counts
