"""The game itself: cards, variants, decks, the laying of cards, and the machine that plays whole games.

Pure, synchronous and deterministic: decisions in, events out; no clock, no I/O, no chance of its own.
The rules are numbered R1 to R13 as in SPEC.md, and each number has a test named after it.
"""
