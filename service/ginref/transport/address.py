"""Where a server listens: `host:port`, and who can reach that."""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final

_PORT: Final = re.compile("[0-9]{1,5}")
_PORT_LIMIT: Final = 65535


class BindError(Exception):
    """An address that cannot be listened on; the message says why."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port; port 0 stands for a free one.

    Attributes:
        host: Name or IP address, without brackets.
        port: TCP port.
    """

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Read an address such as `127.0.0.1:7878` or `[::1]:7878`.

        Raises:
            BindError: It is none.
        """
        host, colon, port = text.rpartition(":")
        bare = host.removeprefix("[").removesuffix("]")
        is_port = bool(_PORT.fullmatch(port)) and int(port) <= _PORT_LIMIT
        if not colon or not bare or not is_port or (":" in bare and bare == host):
            message = f"{text!r} is not an address: HOST:PORT or [IPV6]:PORT expected"
            raise BindError(message)
        return cls(bare, int(port))

    @property
    def is_loopback(self) -> bool:
        """Only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def check_plaintext(self, *, allowed: bool) -> None:
        """Keep what is not encrypted on this machine, unless it is allowed to leave.

        Raises:
            BindError: It would leave.
        """
        if not (self.is_loopback or allowed):
            message = (
                f"{self} is reached from elsewhere: give a certificate and its key"
            )
            raise BindError(f"{message}, or allow plaintext")

    def at(self, port: int) -> "Address":
        """Return the address with the port that was picked."""
        return Address(self.host, port)

    def plus(self, number: int) -> "Address":
        """Return the address so many ports on; port 0 stays any free one.

        Raises:
            BindError: There are not so many ports.
        """
        port = self.port + number if self.port else 0
        if port > _PORT_LIMIT:
            raise BindError(f"{self}: there are no {number} ports after this one")
        return self.at(port)

    def __str__(self) -> str:
        """Text form, with brackets around an IPv6 address."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"
