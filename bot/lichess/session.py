"""A session as a bot needs it, out of berserk's own: patient but not for ever, deaf to its surroundings.

berserk sets no timeout, so that a half-open connection would block for good; requests would read proxies,
certificates and even another password for the host out of the environment. Neither happens here.
"""

import logging
import re
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import berserk
import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.response import HTTPResponse

from bot.errors import ConfigError

for _name in ("berserk", "urllib3", "requests"):  # at DEBUG berserk logs bodies, and one of them is the token
    logging.getLogger(_name).setLevel(logging.WARNING)

_TOKEN = re.compile(r"[A-Za-z0-9_]+")
Timeout = tuple[float, float]  # to connect, and the longest silence after that
_PROBES = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}  # where the system has them


@dataclass(frozen=True, slots=True)
class Patience:
    """In seconds. Lichess sends a blank line every 7 s on the streams of games and account, else every 50."""

    connect_s: float = 3.0
    move_s: float = 4.0
    answer_s: float = 8.0  # claims are answered late on purpose
    game_silence_s: float = 12.0
    event_silence_s: float = 16.0
    slow_silence_s: float = 75.0
    retry_s: float = 10.0  # in all, for what may be tried again
    warm_s: float = 6.0  # a connection idle for this long is pinged, at the latest twice as late


PATIENCE = Patience()


def origin(url: str) -> str:
    """The address Lichess is asked at. ConfigError unless it is a bare one: berserk would drop a path."""
    parts = urlsplit(url.strip())
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ConfigError(
            f"the address of Lichess must be like https://lichess.org, with nothing behind it: {url!r}"
        )
    return f"{parts.scheme}://{parts.netloc}"


def checked(token: str) -> str:
    """ConfigError for what can be no token; its words never hold it."""
    if not _TOKEN.fullmatch(token):
        what = "empty" if not token else "not a Lichess token: only letters, digits and _ are allowed"
        raise ConfigError(f"KRAIT_TOKEN is {what}")
    return token


def user_agent(version: str, name: str) -> str:
    """Never `user:x` alone, which Lichess would check; constant, for a game's stream is one a User-Agent."""
    return f"krait/{version} (bot:{name})" if name else f"krait/{version}"


def socket_options() -> list[tuple[int, int, int]]:
    """No delay, as urllib3 has it; a connection whose other end is gone is found dead in half a minute."""
    options = [(level, name, int(value)) for level, name, value in HTTPConnection.default_socket_options]
    options.append((socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1))
    probes = ((getattr(socket, name, None), value) for name, value in _PROBES.items())
    return options + [(socket.IPPROTO_TCP, name, value) for name, value in probes if name is not None]


OnSocket = Callable[[socket.socket | None], None]
_told = threading.local()  # urllib3 asks on the thread that called, and has no other way to pass this on


class _Waiting(HTTPConnection):
    """Tells whoever wants to know over which socket an answer is awaited."""

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]  # as urllib3 has it
        on_socket: OnSocket | None = getattr(_told, "on_socket", None)
        if on_socket is not None:
            on_socket(self.sock)
        return super().getresponse()


class _WaitingSecurely(HTTPSConnection, _Waiting): ...


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Waiting


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _WaitingSecurely


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options, socket_options=socket_options())
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}


class BotSession(berserk.TokenSession):
    """`connections` are kept open at most; more may be in use. A redirect is an error, not a way."""

    def __init__(self, token: str, *, agent: str, timeout: Timeout, connections: int = 1) -> None:
        super().__init__(token)
        self.headers["User-Agent"] = agent
        self.trust_env = False
        self._timeout = timeout
        for scheme in ("http://", "https://"):
            self.mount(scheme, _Adapter(pool_connections=1, pool_maxsize=connections, max_retries=0))

    def request(  # type: ignore[override]  # of the many options of requests those that berserk uses
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        params: Any = None,
        data: Any = None,
        json: Any = None,
        stream: bool = False,
        timeout: Timeout | None = None,
        on_socket: OnSocket | None = None,
    ) -> requests.Response:
        """Straight to the adapter: no environment, cookies, hooks or redirects, and a quarter less time.

        `on_socket` is told the socket while an answer is awaited, and None when that is over.
        """
        prepared = requests.PreparedRequest()
        sent = {**self.headers, **(headers or {})}
        prepared.prepare(method=method, url=url, headers=sent, params=params, data=data, json=json)
        adapter = self.get_adapter(url)
        _told.on_socket = on_socket
        try:
            response = adapter.send(prepared, stream=stream, timeout=timeout or self._timeout, verify=True)
        finally:
            _told.on_socket = None
            if on_socket is not None:
                on_socket(None)
        if response.is_redirect:
            response.close()
            raise requests.TooManyRedirects(response.headers["Location"])
        if not stream:
            _ = response.content  # read here, so that the connection is free and a torn answer is an error
        return response
