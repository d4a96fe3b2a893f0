"""Where in SPEC.md a requirement stands."""

SECTIONS = {
    "WIRE": "3. Framing",
    "DATA": "4. Data",
    "LOCAL": "Where to connect",
    "HELLO": "The handshake",
    "STATE": "States",
    "LIMIT": "States",
    "REJOIN": "Coming back",
    "BOT": "Coming back",
    "TURN": "A game in order",
    "REQ": "Requests and answers",
    "ANSWER": "Requests and answers",
    "END": "Messages from the referee about the connection",
    "CLOCK": "7. Timing",
    "RULES": "10. Rules of the game",
    "DEFAULT": "11. Defaults and faults",
    "FAULT": "11. Defaults and faults",
}
"""By the word in the middle of an id: the heading in SPEC.md."""


def section_of(requirement: str) -> str:
    """Return the heading under which a requirement such as T5-WIRE-02 stands."""
    return SECTIONS[requirement.split("-")[1]]
