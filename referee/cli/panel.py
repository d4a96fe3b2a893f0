"""A part of a picture, drawn from its own top left corner."""

import attrs


@attrs.frozen(kw_only=True)
class Panel:
    """What is drawn, as SVG, and how much room it takes, in pixels."""

    width: float
    height: float
    content: str
