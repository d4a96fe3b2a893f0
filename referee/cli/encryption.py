"""The options that encrypt what is served, and what they come to."""

import functools
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import attrs
import click

from referee.cli.settings import setting
from referee.server.tls import TlsError, server_context

Function = TypeVar("Function", bound=Callable[..., Any])


@attrs.frozen(kw_only=True)
class TlsFiles:
    """The files that TLS needs.

    Attributes:
        certificate: The certificate, and those that lead to a trusted one.
        key: Its key.
    """

    certificate: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """Return how to speak TLS with them.

        Raises:
            click.UsageError: They cannot be used.
        """
        try:
            return server_context(self.certificate, self.key)
        except TlsError as error:
            raise click.UsageError(str(error)) from error

    def names(self) -> dict[str, str]:
        """Return what has to be kept to find the files again."""
        return {"certificate": str(self.certificate.absolute()), "key": str(self.key.absolute())}


def tls_options(function: Function) -> Function:
    """Declare `--tls-cert` and `--tls-key`; the command gets `tls`, which is None without them."""

    @functools.wraps(function)
    def command(*, tls_cert: Path | None, tls_key: Path | None, **rest: Any) -> Any:  # noqa: ANN401
        if (tls_cert is None) != (tls_key is None):
            raise click.UsageError("--tls-cert and --tls-key go together: give both or neither.")
        tls = None if tls_cert is None or tls_key is None else TlsFiles(certificate=tls_cert, key=tls_key)
        return function(tls=tls, **rest)

    path = click.Path(path_type=Path)
    key = setting("--tls-key", metavar="FILE", type=path, help="The key of --tls-cert, a PEM file.")
    certificate = setting(
        "--tls-cert", metavar="FILE", type=path, help="Encrypt by TLS, with this certificate, a PEM file."
    )
    return certificate(key(command))  # type: ignore[return-value]
