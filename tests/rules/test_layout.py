"""Laying cards: what the worked positions do not show, and a second reading of R4, R5, R6 and R13."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.cards import BULLHEADS
from referee.rules.layout import Jump, Layout, Placement, RowCost, Take

COW = "cow"


def lay_as_the_rules_say(rows, card, chosen_row):
    """Lay a card without any of the code under test: the cow is a thing in the row, and lists are changed.

    Args:
        rows: Four lists of numbers, one of which may end in COW; they are changed.
        card: The card.
        chosen_row: The row for a card that is too low.

    Returns:
        The cards taken, a list for each take.
    """

    def end(row):
        return max(thing for thing in row if thing != COW)

    below = [row for row in rows if end(row) < card]
    row = max(below, key=end) if below else rows[chosen_row]
    with_cow = COW in row
    takes = []
    if not below or len(row) == 5:
        takes.append([thing for thing in row if thing != COW])
        row.clear()
    if COW in row:
        row.remove(COW)
    row.append(card)
    while with_cow:
        row = min((other for other in rows if other is not row), key=end)
        with_cow = len(row) == 5
        if with_cow:
            takes.append(row[:4])
            del row[:4]
        else:
            row.append(COW)
    return takes


@st.composite
def positions(draw):
    """Draw four ascending rows, perhaps with a cow, a card that lies in none of them, and a row."""
    lengths = draw(st.lists(st.integers(1, 5), min_size=4, max_size=4))
    count = sum(lengths) + 1
    cards = draw(st.lists(st.integers(1, 104), min_size=count, max_size=count, unique=True))
    rows = []
    for length in lengths:
        rows.append(tuple(sorted(cards[:length])))
        cards = cards[length:]
    roomy = [row for row in range(4) if lengths[row] < 5]
    cow = draw(st.sampled_from([None, *roomy]))
    return rows, cow, cards[0], draw(st.integers(0, 3))


@given(positions())
def test_laying_agrees_with_a_second_reading(position):
    """From any position, rows, cow and takes are those that the rules, read naively, give."""
    rows, cow, card, chosen_row = position
    things = [[*cards, COW] if row == cow else list(cards) for row, cards in enumerate(rows)]
    expected_takes = lay_as_the_rules_say(things, card, chosen_row)
    layout = Layout(rows, cow)
    too_low = layout.fitting_row(card) is None

    placement = layout.place(card, chosen_row if too_low else None)

    actual = [[*cards, COW] if row == layout.cow else list(cards) for row, cards in enumerate(layout.rows)]
    assert things == actual
    assert expected_takes == [list(take.cards) for take in placement.takes]
    assert [sum(BULLHEADS[c] for c in cards) for cards in expected_takes] == [
        take.bullheads for take in placement.takes
    ]


@given(positions())
def test_costs_are_what_laying_takes(position):
    """For a card that is too low, the cost told for a row is what laying it there then takes."""
    rows, cow, _, chosen_row = position
    card = min(min(cards) for cards in rows) - 1
    layout = Layout(rows, cow)
    cost = layout.costs(card)[chosen_row]

    takes = layout.place(card, chosen_row).takes

    assert RowCost(row=chosen_row, bullheads=sum(take.bullheads for take in takes), takes=takes) == cost


def test_costs_include_what_the_cow_takes():
    """A 9 on `20 24(C) | 10 11 12 13 14 | 50 52 | 77`.

    Row 0 costs 20 24 (3+1) and, since the cow then lands on row 1 as the sixth, 10 11 12 13 (3+5+1+1);
    row 1 costs 10 11 12 13 14 (11), row 2 costs 50 52 (4), row 3 costs 77 (5). Nothing has changed after.
    """
    rows = [(20, 24), (10, 11, 12, 13, 14), (50, 52), (77,)]
    layout = Layout(rows, 0)

    costs = layout.costs(9)

    own = Take(row=0, cards=(20, 24), bullheads=4)
    by_cow = Take(row=1, cards=(10, 11, 12, 13), bullheads=10)
    full = Take(row=1, cards=(10, 11, 12, 13, 14), bullheads=11)
    assert (
        RowCost(row=0, bullheads=14, takes=(own, by_cow)),
        RowCost(row=1, bullheads=11, takes=(full,)),
        RowCost(row=2, bullheads=4, takes=(Take(row=2, cards=(50, 52), bullheads=4),)),
        RowCost(row=3, bullheads=5, takes=(Take(row=3, cards=(77,), bullheads=5),)),
    ) == costs
    assert rows == layout.rows
    assert layout.cow == 0


def test_placement_tells_jumps_and_takes_in_order():
    """The 50 takes row 0, then the cow fills row 1, then row 2, and rests on row 1 (third cow position)."""
    layout = Layout([(35, 36, 38, 40), (10, 15, 18, 19, 20), (21, 24, 26, 28, 30), (90,)], 0)

    placement = layout.place(50)

    assert (
        Placement(
            row=0,
            take=Take(row=0, cards=(35, 36, 38, 40), bullheads=7),
            jumps=(
                Jump(from_row=0, to_row=1, take=Take(row=1, cards=(10, 15, 18, 19), bullheads=7)),
                Jump(from_row=1, to_row=2, take=Take(row=2, cards=(21, 24, 26, 28), bullheads=4)),
                Jump(from_row=2, to_row=1, take=None),
            ),
        )
        == placement
    )


@pytest.mark.parametrize(("card", "chosen_row"), [(9, None), (25, 0)])
def test_a_row_is_chosen_only_for_a_card_that_fits_none(card, chosen_row):
    """A card that is too low needs a row, a card that fits must not have one; the rows stay as they were."""
    rows = [(20, 24), (31,), (50, 52), (77,)]
    layout = Layout(rows, None)

    with pytest.raises(ValueError, match=f"card {card}"):
        layout.place(card, chosen_row)

    assert rows == layout.rows


def test_costs_of_a_card_that_fits():
    """A card that fits has no choice of row, so asking for its costs is an error."""
    with pytest.raises(ValueError, match="card 25"):
        Layout([(20, 24), (31,), (50, 52), (77,)], None).costs(25)


def test_copy_is_independent():
    """Laying a card on a copy leaves the original alone, rows and cow."""
    rows = [(20, 24), (31,), (50, 52), (77,)]
    layout = Layout(rows, 0)

    layout.copy().place(25)

    assert rows == layout.rows
    assert layout.cow == 0


def test_lowest_row():
    """It is the last card that counts, not the first, and a row can be left out."""
    layout = Layout([(1, 50), (31,), (2, 40), (77,)], None)

    expected = [1, 2, 1]
    assert expected == [layout.lowest_row(leaving_out=row) for row in (None, 1, 2)]


@given(positions(), st.lists(st.tuples(st.integers(1, 104), st.integers(0, 3)), max_size=12))
def test_order_of_the_ends_after_any_cards(position, later):
    """After any cards a card still finds the row with the highest end below it, and the cow the lowest end.

    The rows are searched afresh here, where the layout keeps its ends in order from card to card. Cards that
    lie in the rows already are left out.
    """
    rows, cow, card, chosen_row = position
    layout = Layout(rows, cow)
    for laid, row in [(card, chosen_row), *later]:
        if not any(laid in cards for cards in layout.rows):
            layout.place(laid, row if layout.fitting_row(laid) is None else None)

    ends = [cards[-1] for cards in layout.rows]
    for probe in set(range(1, 105)) - set(ends):
        below = [end for end in ends if end < probe]
        assert (ends.index(max(below)) if below else None) == layout.fitting_row(probe)
    assert ends.index(min(ends)) == layout.lowest_row()
    assert [ends.index(min(end for end in ends if end != ends[row])) for row in range(4)] == [
        layout.lowest_row(leaving_out=row) for row in range(4)
    ]
