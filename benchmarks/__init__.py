"""Measurements to run by hand: ratios of one run, printed; see README.md."""
