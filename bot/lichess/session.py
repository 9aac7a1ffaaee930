"""A session as a bot needs it, out of berserk's own: patient but not for ever, deaf to its surroundings.

berserk sets no timeout, so that a half-open connection would block for good; requests would read proxies,
certificates and even another password for the host out of the environment. Neither happens here.
"""

import logging
import socket
from collections.abc import Mapping
from typing import Any

import berserk
import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection

for _name in ("berserk", "urllib3", "requests"):  # at DEBUG berserk logs bodies, and one of them is the token
    logging.getLogger(_name).setLevel(logging.WARNING)

Timeout = tuple[float, float]  # to connect, and the longest silence after that
_PROBES = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}  # where the system has them


def user_agent(version: str, name: str) -> str:
    """Never `user:x` alone, which Lichess would check; constant, for a game's stream is one a User-Agent."""
    return f"krait/{version} (bot:{name})" if name else f"krait/{version}"


def socket_options() -> list[tuple[int, int, int]]:
    """No delay, as urllib3 has it; a connection whose other end is gone is found dead in half a minute."""
    options = [(level, name, int(value)) for level, name, value in HTTPConnection.default_socket_options]
    options.append((socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1))
    probes = ((getattr(socket, name, None), value) for name, value in _PROBES.items())
    return options + [(socket.IPPROTO_TCP, name, value) for name, value in probes if name is not None]


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options, socket_options=socket_options())


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
    ) -> requests.Response:
        """Straight to the adapter: no environment, cookies, hooks or redirects, and a quarter less time."""
        prepared = requests.PreparedRequest()
        sent = {**self.headers, **(headers or {})}
        prepared.prepare(method=method, url=url, headers=sent, params=params, data=data, json=json)
        adapter = self.get_adapter(url)
        response = adapter.send(prepared, stream=stream, timeout=timeout or self._timeout, verify=True)
        if response.is_redirect:
            response.close()
            raise requests.TooManyRedirects(response.headers["Location"])
        if not stream:
            _ = response.content  # read here, so that the connection is free and a torn answer is an error
        return response
