"""Situations in which whole games are played, of every variant."""

from referee.check.match import Plan
from referee.check.scene import Scene, play
from referee.check.situations.base import Situation, situation
from referee.check.verdicts import Advice, NotApplicable
from referee.rules.variants import Rules, Variant


def _game(name: str, requirement: str, title: str, plan: Plan) -> Situation:
    """Return the situation in which one game is played to its end."""

    @situation(name, requirement, title)
    async def whole(scene: Scene) -> None:
        talk = await scene.enter()
        match = scene.match(plan)
        await play(talk, match, match.begin(events=scene.events))
        await talk.quiet(0.2, "after the end of a game")

    return whole


def _rules(variant: Variant = Variant.CLASSIC, *, cow: bool = False) -> Rules:
    return Rules(variant=variant, jumping_cow=cow, target=None, deals=1)


@situation("in-time", "T5-CLOCK-02", "It answers within the time that it is told, over a whole game.")
async def _in_time(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match(Plan(seat=2, rules=Rules(target=None, deals=2)))
    await play(talk, match, match.begin(events=scene.events))


@situation("one-answer", "T5-ANSWER-01", "It answers each request once, also when nothing follows for long.")
async def _one_answer(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match()
    await talk.say(*match.begin(events=scene.events))
    for _ in range(3):
        if match.asked is not None:
            answer = await talk.answer_to(match.asked)
            await talk.quiet(0.5, "after its answer, while others were thinking")
            await talk.say(*match.take(answer))


@situation("long-silence", "T5-TURN-02", "It waits while others think, without a limit of its own.")
async def _long_silence(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match()
    await talk.say(*match.begin(events=scene.events))
    if match.asked is not None:
        answer = await talk.answer_to(match.asked)
        await talk.quiet(7.0, "while it was silent for 7 s, as others were thinking")
        await play(talk, match, match.take(answer), answers=1)


@situation("next-game", "T5-END-01", "It plays a second game on the same connection.")
async def _next_game(scene: Scene) -> None:
    talk = await scene.enter()
    for number in (1, 2):
        match = scene.match(Plan(number=number, seat=number))
        await play(talk, match, match.begin(events=scene.events))


@situation("abandoned-game", "T5-END-04", "It goes on when a game is abandoned without a word.")
async def _abandoned(scene: Scene) -> None:
    talk = await scene.enter()
    first = scene.match()
    await play(talk, first, first.begin(events=scene.events), answers=2)
    second = scene.match(Plan(number=2, seat=1))
    stale = () if first.asked is None else (first.asked.request,)
    await talk.say(*second.begin(events=scene.events))
    if second.asked is not None:
        answer = await talk.answer_to(second.asked, stale=stale)
        await play(talk, second, second.take(answer))


@situation("two-games", "T5-HELLO-05", "It plays two games at once, if its hello says that it can.")
async def _two_games(scene: Scene) -> None:
    talk = await scene.enter()
    if scene.hello is None or scene.hello.games == 1:
        raise NotApplicable("The bot plays one game at a time: `games` in its hello is 1.")
    matches = [scene.match(Plan(number=number, seat=number)) for number in (1, 2)]
    for match in matches:
        await talk.say(*match.begin(events=scene.events))
    while owed := {match.asked.request: match for match in matches if match.asked}:
        answer = await talk.answer_to(*[match.asked for match in owed.values() if match.asked])
        await talk.say(*owed[answer.request].take(answer))


@situation("events", "T5-TURN-04", "It takes the events of a game in its stride, if it asked for them.")
async def _events(scene: Scene) -> None:
    talk = await scene.enter()
    if not scene.events:
        raise NotApplicable("The bot did not ask for events in its hello.")
    for plan in (Plan(seat=3), Plan(rules=_rules(Variant.ADVANCED, cow=True), seat=1, number=2)):
        match = scene.match(plan)
        await play(talk, match, match.begin(events=True))


@situation("same-answer", "T5-REQ-04", "It gives the same answer when the same request comes again.")
async def _same_answer(scene: Scene) -> None:
    talk = await scene.enter()
    match = scene.match(Plan(seat=1))
    await play(talk, match, match.begin(events=scene.events), answers=2)
    for _ in range(3):
        if match.asked is None:
            return
        first = await talk.answer_to(match.asked)
        await talk.drop()
        match.lose_bot()
        talk = await scene.come_back(match)
        await talk.say(*match.regain_bot(events=scene.events, after_ms=50))
        again = await talk.answer_to(match.asked)
        if again != first:
            raise Advice(
                "The same request got another answer the second time: take chance from bot_seed, and "
                "games can be repeated."
            )
        await talk.say(*match.take(again))


SITUATIONS = (
    _in_time,
    _one_answer,
    _long_silence,
    _game("classic", "T5-RULES-01", "It plays the classic game.", Plan()),
    _game("two-players", "T5-RULES-01", "It plays the classic game of two.", Plan(players=2, seat=1)),
    _game("ten-players", "T5-RULES-01", "It plays the classic game of ten.", Plan(players=10, seat=9)),
    _game(
        "row-choice",
        "T5-REQ-02",
        "It chooses a row when its card is too low.",
        Plan(lowest_hand=True, seat=2),
    ),
    _game(
        "whole-game",
        "T5-RULES-02",
        "It plays a game of several deals to its end.",
        Plan(rules=Rules(target=40), seat=3),
    ),
    _game("tactic", "T5-RULES-03", "It plays the tactic variant.", Plan(rules=_rules(Variant.TACTIC))),
    _game(
        "draft",
        "T5-RULES-04",
        "It drafts and plays in the advanced variant.",
        Plan(rules=_rules(Variant.ADVANCED), seat=1),
    ),
    _game("cow", "T5-RULES-05", "It plays with the Jumping Cow.", Plan(rules=_rules(cow=True))),
    _game(
        "cow-row-choice",
        "T5-RULES-05",
        "It chooses a row with the cow on the table.",
        Plan(rules=_rules(cow=True), lowest_hand=True, seat=3),
    ),
    _game(
        "draft-with-cow",
        "T5-RULES-05",
        "It drafts and plays with the cow, at a table of six.",
        Plan(rules=_rules(Variant.ADVANCED, cow=True), players=6, seat=5),
    ),
    _next_game,
    _abandoned,
    _two_games,
    _events,
    _same_answer,
)
