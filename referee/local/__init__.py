"""Bots as programs of this machine: finding, building, starting, watching and ending them.

`programs` says which programs the arguments of run-local name, `builds` builds those that need it,
`environment` is what a bot is given to find its way back, `processes` runs one bot, and `sweep` makes
sure at the end that nothing of them is left.
"""
