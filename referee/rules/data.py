"""How the rules make the small data that every card and every choice brings forth: frozen, at no cost.

A class made by `attrs.frozen` fills each field through a call of `object.__setattr__`, and that alone took a
fifth of the time of a deal. So `frozen` is `attrs.frozen` where types are checked, and mypy refuses every
change of a field; at run time it is `attrs.define`, hashable by its fields, and nothing stands in the way of
a change but that check.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attrs import frozen as frozen
else:
    from functools import partial

    from attrs import define

    frozen = partial(define, unsafe_hash=True)
