"""Plays simulated tournaments from the command line: many seeds, or one again.

python -m tests.simulation --seeds 10000            # seeds 1 to 10000
python -m tests.simulation --seed 5000 --seeds 100  # a hundred from 5000 on
python -m tests.simulation --seconds 600            # as many as fit into ten minutes
python -m tests.simulation --seed 42                # this one, with its plan
"""

import itertools
import sys
import time
from collections import Counter
from collections.abc import Iterable

import attrs
import click

from tests.simulation.course import Course, play
from tests.simulation.drawing import draw
from tests.simulation.plan import Deed, Plan
from tests.simulation.shrinking import breaks, shrunk

FAILED = 1


@attrs.define
class Tally:
    """What was simulated so far."""

    tournaments: int = 0
    steps: int = 0
    restarts: int = 0
    compared: int = 0
    done: Counter[Deed] = attrs.field(factory=Counter)

    def add(self, course: Course) -> None:
        """Count one tournament."""
        self.tournaments += 1
        self.steps += course.steps
        self.restarts += course.restarts
        self.compared += course.compared
        self.done += course.done

    def lines(self, seconds: float) -> Iterable[str]:
        """Give what there is to tell, a line each."""
        yield f"tournaments {self.tournaments}, of which {self.compared} had to have the undisturbed record"
        yield f"steps {self.steps}, {self.steps / max(seconds, 1e-9):.0f} a second, each of them checked"
        yield f"kills of the referee that were resumed {self.restarts}"
        yield f"deeds of the adversary {self.done.total()}:"
        for deed in Deed:
            yield f"  {self.done[deed]:7} {deed.name.lower()}: {deed.words}"


@click.command(help="Play whole tournaments in virtual time under an adversary and check the promises.")
@click.option(
    "--seeds", type=click.IntRange(min=1), help="How many seeds; without it as many as --seconds lets."
)
@click.option("--seed", "first", type=click.IntRange(min=0), help="The first seed; alone: this one only.")
@click.option("--seconds", type=click.FloatRange(min=0), help="Begin no further tournament after so long.")
def main(seeds: int | None, first: int | None, seconds: float | None) -> None:
    """Play; exit with 1 at the first promise that is broken."""
    if seeds is None and seconds is None:
        if first is None:
            raise click.UsageError("say how many by --seeds, or how long by --seconds, or which by --seed")
        seeds = 1
        click.echo(str(draw(first)))
    start = 1 if first is None else first
    numbers = itertools.count(start) if seeds is None else range(start, start + seeds)
    begun, tally = time.monotonic(), Tally()
    for seed in numbers:
        if seconds is not None and time.monotonic() - begun >= seconds:
            break
        course = play(draw(seed))
        tally.add(course)
        if course.broken:
            report(draw(seed), course)
            sys.exit(FAILED)
    for line in tally.lines(time.monotonic() - begun):
        click.echo(line)


def report(plan: Plan, course: Course) -> None:
    """Say what went wrong, with the smallest plan that shows it."""
    click.echo(f"seed {plan.seed} breaks a promise after {course.steps} steps\n{course.how}", err=True)
    smallest = shrunk(plan, breaks(course.broken))
    click.echo(f"the smallest plan that breaks it as well:\n{smallest}\n{play(smallest).how}", err=True)
    click.echo(f"again: python -m tests.simulation --seed {plan.seed}", err=True)


if __name__ == "__main__":
    main()
