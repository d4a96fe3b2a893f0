"""Whole tournaments in virtual time under a seeded adversary, with the promises checked after every step."""
