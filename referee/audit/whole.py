"""The audit of a whole journal: what is checked, in which order, and what it came to in numbers."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import attrs

from referee.audit.findings import expect
from referee.audit.games import Replayed, audit_game
from referee.audit.rounds import check_drawn, check_legal, check_places, format_of
from referee.journal.evidence import Archive, Evidence
from referee.journal.head import to_text
from referee.journal.journal import PAIRING_VERSION
from referee.journal.reading import Reading, StoredGame
from referee.journal.schema import COMPLETE, CUT_SHORT
from referee.journal.scores import score_of
from referee.play.names import GameId
from referee.play.record import tournament_digest
from referee.rules.decks import NONCE_BYTES, commitment
from referee.setup import TournamentSetup
from referee.tournament.model import GameScore, Kind
from referee.tournament.standings import Standings


@attrs.frozen(kw_only=True)
class AuditReport:
    """What was checked, in numbers.

    Attributes:
        ended: Whether the tournament is over, so that its end was checked too.
        drawn_again: Whether the rounds were drawn again; if not, this program knows another method.
        entrants: Entrants.
        rounds: Rounds.
        games: Finished games that count.
        void: Games of voided rounds.
        unfinished: Games in mid-play.
        deals: Deals that were dealt again.
        cards: Cards of these deals.
        decisions: Decisions that were replayed.
        defaults: Those of them that were made by default.
        faults: Faults found.
    """

    ended: bool
    drawn_again: bool
    entrants: int
    rounds: int
    games: int
    void: int
    unfinished: int
    deals: int
    cards: int
    decisions: int
    defaults: int
    faults: int


_COUNTED = ("games", "void", "unfinished", "deals", "cards", "decisions", "defaults", "faults")


def audit(reading: Reading, on_game: Callable[[GameId], None] = lambda game: None) -> AuditReport:
    """Prove a journal, or say where it contradicts itself.

    Args:
        reading: The journal; better of one moment than one that changes meanwhile.
        on_game: Called before each game is replayed, for those who wait.

    Raises:
        AuditFailed: It contradicts itself; the first discrepancy is named.
        JournalUnusable: It cannot be read.
    """
    return _Audit(reading, on_game).run()


class _Audit:
    """One audit: the file, the head, the rounds, the games, the drawing of the rounds, the end."""

    def __init__(self, reading: Reading, on_game: Callable[[GameId], None]) -> None:
        self._reading = reading
        self._on_game = on_game
        self._setup = TournamentSetup.of(reading.head)
        self._entrants = reading.entrants()
        self._plans = reading.plans()
        self._voided = reading.voided()
        self._standings = Standings((one.name for one in self._entrants), games=self._setup.games)
        self._counts: Counter[str] = Counter()
        self._scores: list[GameScore] = []

    def run(self) -> AuditReport:
        """Do all of it."""
        self._reading.check_file()
        self._check_head()
        check_legal(self._plans, self._entrants, self._setup)
        self._check_schedule()
        self._replay()
        same_method = self._reading.pairing == PAIRING_VERSION
        if same_method:
            check_drawn(self._plans, self._scores, self._entrants, self._setup)
        self._check_ending()
        return AuditReport(
            ended=self._reading.ending is not None,
            drawn_again=same_method,
            entrants=len(self._entrants),
            rounds=len(self._plans),
            **{field: self._counts[field] for field in _COUNTED},
        )

    def _check_head(self) -> None:
        head = self._reading.head
        bound = (
            commitment(head.nonce, head.seed) if len(head.nonce) == NONCE_BYTES else "of a nonce of 32 bytes"
        )
        expect("the head", "the commitment", found=head.commitment, expected=bound)
        setup = self._setup
        games = setup.fitted(table_size=setup.table_size, concurrency=setup.concurrency).games
        expect("the head", "the number of games", found=head.games, expected=games)
        expect("the head", "the setup", found=self._reading.setup_text, expected=to_text(head))

    def _check_schedule(self) -> None:
        games = list(self._reading.games())
        check_places(games, self._voided, self._setup)
        told = Counter(event.data.get("round") for event in self._reading.log() if event.kind == "void")
        expect("the rounds", "how often each was voided", found=self._voided, expected=dict(told))
        complete = self._is_complete(games)
        endings = {None: None, True: COMPLETE, False: CUT_SHORT}
        expected = endings[None if self._reading.ending is None else complete]
        expect("the end", "how it ended", found=self._reading.ending, expected=expected)

    def _is_complete(self, games: Sequence[StoredGame]) -> bool:
        """Say whether every game of every round has been played, see `Director.complete`."""
        rounds = format_of(self._setup, self._entrants).rounds
        return len(self._plans) == rounds == len(self._rounds_over(games))

    def _rounds_over(self, games: Iterable[StoredGame]) -> set[int]:
        """Return the rounds of which every game has been played."""
        ended = Counter(game.id.round for game in games if game.digest is not None and not game.void)
        series = self._setup.series
        return {
            plan.number
            for plan in self._plans
            if ended[plan.number] == sum(series.games(len(table.entrants)) for table in plan.tables)
        }

    def _replay(self) -> None:
        archive = Archive(self._reading)
        sessions = archive.sessions()
        for evidence in archive:
            self._on_game(evidence.game.id)
            replayed = audit_game(self._setup, evidence, sessions)
            self._count(evidence, replayed)
            if replayed.result is not None and evidence.game.digest is not None and not evidence.game.void:
                self._enter(score_of(replayed.result))
        strays = archive.strays()
        for what, count in attrs.asdict(strays).items():
            expect("the games", f"the number of {what} that belong to none", found=count, expected=0)

    def _count(self, evidence: Evidence, replayed: Replayed) -> None:
        game = evidence.game
        self._counts["void" if game.void else "unfinished" if game.digest is None else "games"] += 1
        self._counts["faults"] += len(evidence.faults)
        for field in ("deals", "cards", "decisions", "defaults"):
            self._counts[field] += getattr(replayed, field)

    def _enter(self, score: GameScore) -> None:
        self._standings.add(score)
        if self._setup.kind is Kind.SWISS:  # a round-robin is drawn without them, and may have millions
            self._scores.append(score)

    def _check_ending(self) -> None:
        reading, ended = self._reading, self._reading.ending is not None
        digest = tournament_digest(reading.digests()) if ended else None
        expect("the end", "the digest of the tournament", found=reading.digest, expected=digest)
        over = self._rounds_over(reading.games()) if ended else set()
        for plan in self._plans:
            for name in plan.byes if plan.number in over else ():
                self._standings.add_bye(plan.number, name)
        rows = self._standings.rows() if ended else ()
        found = reading.final_standings()
        names = [row.name for row in rows]
        expect("the standings", "who is in them", found=sorted(found), expected=sorted(names))
        for row in rows:
            where = f"{row.name} in the standings"
            for what, value, expected in zip(
                ("rank", "points", "games"),
                found[row.name],
                (row.rank, str(row.points), row.games),
                strict=True,
            ):
                expect(where, what, found=value, expected=expected)
