"""How many values a msgpack payload announces, found by walking over their headers and building none."""


def _widths() -> tuple[int, ...]:
    """Return for each first byte of a value how many bytes follow before the next value begins."""
    widths = [0] * 256  # small integers, nil, booleans, and the headers of small maps and arrays
    for size in range(32):
        widths[0xA0 + size] = size  # short strings
    floats = {0xCA: 4, 0xCB: 8}
    integers = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
    fixed_extensions = {0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17}
    long_containers = {0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}
    for first, width in (floats | integers | fixed_extensions | long_containers).items():
        widths[first] = width
    return tuple(widths)


_WIDTHS = _widths()

_BIN, _EXT, _STR = (0xC4, 0xC5, 0xC6), (0xC7, 0xC8, 0xC9), (0xD9, 0xDA, 0xDB)
_SIZED = {
    first: (length_bytes, 1 if kind is _EXT else 0)  # an ext has a type as well
    for kind in (_BIN, _EXT, _STR)
    for first, length_bytes in zip(kind, (1, 2, 4), strict=True)
}
"""Values that tell their own size: in how many bytes, and what follows besides."""


def exceeds(payload: bytes, most: int) -> bool:
    """Say whether a payload holds more values than `most`, keys of maps and the containers included.

    Values follow one another in msgpack however they are nested, so nothing has to be remembered. Whether
    the payload is valid is not asked.
    """
    position, count, end = 0, 0, len(payload)
    while position < end:
        count += 1
        if count > most:
            return True
        first = payload[position]
        position += 1 + _WIDTHS[first]
        if first in _SIZED:
            length_bytes, extra = _SIZED[first]
            data = position + length_bytes
            position = data + extra + int.from_bytes(payload[position:data], "big")
    return False
