"""How the messages of which there are most are made: frozen, at no cost.

A class made by `attrs.frozen` fills each field through a call of `object.__setattr__`, which for a request
with its twenty fields costs as much as packing it. So `frozen` is `attrs.frozen` where types are checked, and
mypy refuses every change of a field; at run time it is `attrs.define`, hashable by its fields.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attrs import frozen as frozen
else:
    from functools import partial

    from attrs import define

    frozen = partial(define, unsafe_hash=True)
