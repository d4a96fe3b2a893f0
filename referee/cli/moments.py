"""Moments of the day as people write them: 18:30, or 2026-11-30T18:30."""

import datetime

import click


class Moment(click.ParamType):  # type: ignore[type-arg]  # generic only since click 8.2
    """A moment to come, in local time unless an offset is given; its value is in seconds since the epoch."""

    name = "moment"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the moment that a text names: a time alone is the next such time."""
        if isinstance(value, float):
            return value
        now = datetime.datetime.now().astimezone()
        moment = _read(str(value), now)
        if moment is None:
            self.fail(f"{value!r} is no moment; write 18:30 or 2026-11-30T18:30.", param, ctx)
        if moment <= now:
            self.fail(f"{value} is in the past.", param, ctx)
        return moment.timestamp()


def _read(text: str, now: datetime.datetime) -> datetime.datetime | None:
    try:
        clock = datetime.time.fromisoformat(text)
    except ValueError:
        try:
            return datetime.datetime.fromisoformat(text).astimezone()
        except (ValueError, OverflowError):
            return None
    today = datetime.datetime.combine(now.date(), clock).astimezone()
    return today if today > now else today + datetime.timedelta(days=1)
