"""Addresses in words: how a bot comes in."""

import ipaddress
import socket

from referee.cli.log import Event, Fact

_EVERYWHERE = {"0.0.0.0", "::"}
_NOWHERE = ("192.0.2.1", 9)
"""An address of the documentation range: asking which way it lies sends nothing."""


def is_loopback(host: str) -> bool:
    """Say whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def how_to_connect(host: str, port: int, *, is_open: bool, has_tls: bool) -> Fact:
    """Return how a bot comes in, in lines that can be read out in a room."""
    address = _address() if host in _EVERYWHERE else host
    secret = "any secret you like" if is_open else "the secret you were given"
    way, tls = ("TLS", " TAKE5_TLS=cert.pem") if has_tls else ("TCP", "")
    variables = f"TAKE5_HOST={address} TAKE5_PORT={port}{tls} TAKE5_NAME=me TAKE5_SECRET=..."
    lines = (
        f"bots connect by {way} to {address}, port {port}, with a name and {secret}",
        f"a sample bot: {variables} ./steady.py",
    )
    return Fact(event=Event.LISTENING, lines=lines, fields={"host": address, "port": port, "open": is_open})


def _address() -> str:
    """Return the address under which others probably reach this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_NOWHERE)
        except OSError:
            return socket.gethostname()
        address: str = probe.getsockname()[0]
        return address
