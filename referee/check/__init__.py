"""Checks a bot: plays the referee's side of named situations against it and says what it did wrong.

`situations` holds the situations, `scene` is what they are played with, `talk` is one connection with the
bot, `match` a real game for it, `stages` are where the bot comes from, and `running` plays them all.
"""
