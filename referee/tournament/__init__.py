"""Tournaments without I/O: what to play next, and how the results add up.

`formats` answers which tables a round has, from the entrants, the results so far and the seed;
`standings` adds up the games that were played. Nothing here knows the rules of the game, the wire or a clock.
"""
