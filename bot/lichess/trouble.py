"""Whatever berserk, requests or a proxy throws at us, as one of our own errors. No other leaves this room."""

import json
from collections.abc import Callable
from socket import gaierror
from typing import TypeVar

import requests
from berserk.exceptions import ApiError, ResponseError

from bot.errors import LichessError, Refused, Unreachable
from bot.lichess import wire_rest
from bot.lichess.wire_values import SHORT

S = TypeVar("S")
T = TypeVar("T")
Explain = Callable[[Exception], LichessError]
HIDDEN = "(token)"


def explainer(token: str) -> Explain:
    """Our error for any of theirs; should the token ever be in the words, it is struck out."""

    def explain(error: Exception) -> LichessError:
        if isinstance(error, LichessError):
            return error
        if isinstance(error, ResponseError):
            return _answered(error.response, token)
        if isinstance(error, ApiError):
            error = error.error
        if isinstance(error, requests.TooManyRedirects):
            return Refused(301, f"Lichess is at another address, {error}: correct the one in the settings")
        return Unreachable(_why(error).replace(token, HIDDEN))

    return explain


def _answered(response: requests.Response, token: str) -> LichessError:
    try:
        text = response.text.replace(token, HIDDEN)
    except requests.RequestException:
        text = ""  # a stream that was refused, and then torn
    finally:
        response.close()
    try:
        body: object = json.loads(text)
    except ValueError:
        body = None
    return wire_rest.refusal(response.status_code, body, text)


def _why(error: Exception) -> str:
    """In few words: the exceptions below name pools and addresses at length, and the cause at their end."""
    match error:
        case requests.ConnectTimeout():
            return "no connection in time"
        case requests.ReadTimeout():
            return "no answer in time"
        case requests.exceptions.ChunkedEncodingError():
            return "the connection broke off"
        case requests.exceptions.SSLError():
            return f"no trusted connection: {_root(error)}"
        case requests.ConnectionError() if "Read timed out" in str(error):
            return "silence for too long"
        case requests.ConnectionError():
            return f"no connection: {_root(error)}"
        case ValueError():
            return "an answer that is not JSON"
        case _:
            return f"{type(error).__name__}: {_root(error)}"


def _root(error: BaseException) -> str:
    """The words of the innermost cause."""
    seen = {id(error)}
    while True:
        inner = error.__cause__ or error.__context__ or getattr(error, "reason", None)
        if inner is None and error.args and isinstance(error.args[-1], BaseException):
            inner = error.args[-1]
        if not isinstance(inner, BaseException) or id(inner) in seen:
            break
        seen.add(id(inner))
        error = inner
    words = (error.strerror if isinstance(error, OSError | gaierror) else None) or str(error)
    return (words or type(error).__name__)[:SHORT]


def readable(reading: Callable[[S], T], found: S) -> T:
    """What `reading` makes of an answer; one that makes no sense is as good as none."""
    try:
        return reading(found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreachable(f"an answer we cannot read: {type(error).__name__} {error}") from None
