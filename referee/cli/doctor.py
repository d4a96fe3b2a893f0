"""`take5-referee doctor`: is this machine fit for rated play?"""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from referee.cli.cells import plain
from referee.cli.durations import Duration
from referee.cli.exits import ExitCode
from referee.cli.sample_bots import directory
from referee.cli.settings import setting
from referee.doctor import bots, jitter, software, system
from referee.doctor.findings import Finding, Verdict

_NS_PER_S = 1e9
_NS_PER_MS = 1_000_000
_FORMAT = 1


@click.command("doctor", epilog="Exit codes: 0 nothing is wrong, 2 wrong usage, 3 there is a problem.")
@setting(
    "--move-timeout",
    metavar="TIME",
    type=Duration("1ms", "1h"),
    default="1s",
    show_default=True,
    help="The time for each decision that the machine is to be fit for.",
)
@click.option(
    "--measure",
    metavar="TIME",
    type=Duration("10ms", "10m"),
    default="2s",
    show_default=True,
    help="Measure for so long how late programs wake.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(*, move_timeout: int, measure: int, as_json: bool) -> int:
    """Say whether this machine is fit for tournaments, and for rated play at a time limit.

    Each line is ok, a note (it works, but ...) or a problem (something will fail or be unfair), with what to
    do about it. Bots of this machine are not started.
    """
    lateness = jitter.measure(measure / _NS_PER_S)
    findings = (
        software.python(),
        software.sqlite(),
        software.msgpack(),
        system.open_files(),
        system.time_stamps(),
        system.journal(Path.cwd()),
        bots.sandbox(),
        bots.toolchains(directory()),
        system.processors(),
        jitter.judge(lateness, move_timeout),
    )
    if as_json:
        click.echo(json.dumps(_object(findings, lateness, move_timeout), indent=2))
    else:
        click.echo(_lines(findings), nl=False)
    return ExitCode.COMPLETE if is_fit(findings) else ExitCode.UNFIT


def is_fit(findings: Sequence[Finding]) -> bool:
    """Say whether none of them is a problem."""
    return all(finding.verdict is not Verdict.PROBLEM for finding in findings)


def _lines(findings: Sequence[Finding]) -> str:
    width = max(len(finding.check) for finding in findings)
    lines = []
    for finding in findings:
        lines.append(f"{finding.verdict.value:<7}  {finding.check:<{width}}  {plain(finding.text)}")
        if finding.advice:
            lines.append(f"{'':<7}  {'':<{width}}  -> {plain(finding.advice)}")
    return "".join(f"{line}\n" for line in lines)


def _object(findings: Sequence[Finding], lateness: jitter.Jitter, limit_ns: int) -> dict[str, object]:
    return {
        "format": _FORMAT,
        "fit": is_fit(findings),
        "move_timeout_ms": limit_ns // _NS_PER_MS,
        "checks": [
            {"check": item.check, "verdict": item.verdict.value, "text": item.text, "advice": item.advice}
            for item in findings
        ],
        "timer_ms": {
            "samples": lateness.samples,
            "median": lateness.median / _NS_PER_MS,
            "p99": lateness.p99 / _NS_PER_MS,
            "worst": lateness.worst / _NS_PER_MS,
        },
    }
