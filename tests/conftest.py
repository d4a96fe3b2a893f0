"""What all tests share: Hypothesis without a wall-clock deadline, since the machine may be busy."""

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
