"""What pages are made of: the files of `static/`, and python-chess's pieces as SVG files.

    add_assets(app)   ->   /static/base.css  /static/js/board.js  /static/pieces/wK.svg …

Pages name them relative to themselves or to each other, so that an application may be mounted anywhere.
"""

import hashlib
from functools import cache
from pathlib import Path

import chess.svg
from aiohttp import web

STATIC = Path(__file__).with_name("static")
A_YEAR = "public, max-age=31536000, immutable"  # the pieces never change
LOOK_AGAIN = "no-cache"  # a file may: it is asked for each time, and answered with 304
TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
CODES = {("w" if letter.isupper() else "b") + letter.upper(): letter for letter in "KQRBNPkqrbnp"}
_SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 45 45">{}</svg>'


@cache
def piece_svg(code: str) -> str:
    """The picture of a piece such as `wK`. KeyError: there is none of that name."""
    return _SVG.format(chess.svg.PIECES[CODES[code]])


@cache
def _read(path: Path, _changed_ns: int) -> tuple[bytes, str]:
    body = path.read_bytes()
    return body, hashlib.sha256(body).hexdigest()[:16]


def file_response(request: web.Request, path: Path) -> web.Response:
    """A static file, packed where the browser can unpack it; 304 when the browser has it already."""
    body, tag = _read(path, path.stat().st_mtime_ns)
    headers = {"Cache-Control": LOOK_AGAIN}
    if any(known.value == tag for known in request.if_none_match or ()):
        unchanged = web.Response(status=304, headers=headers)
        unchanged.etag = tag
        return unchanged
    response = web.Response(body=body, headers=headers, content_type=TYPES[path.suffix], charset="utf-8")
    response.etag = tag
    response.enable_compression()
    return response


async def piece(request: web.Request) -> web.Response:
    try:
        picture = piece_svg(request.match_info["code"])
    except KeyError:
        raise web.HTTPNotFound from None
    response = web.Response(text=picture, content_type="image/svg+xml", headers={"Cache-Control": A_YEAR})
    response.enable_compression()
    return response


async def static_file(request: web.Request) -> web.Response:
    """404 for whatever is not a file of ours, wherever the path may lead."""
    path = (STATIC / request.match_info["path"]).resolve()
    if not path.is_relative_to(STATIC.resolve()) or path.suffix not in TYPES or not path.is_file():
        raise web.HTTPNotFound
    return file_response(request, path)


def add_assets(app: web.Application) -> None:
    """Serve them under /static/ of this application."""
    files = web.Application()
    files.router.add_get("/pieces/{code}.svg", piece)
    files.router.add_get("/{path:.+}", static_file)
    app.add_subapp("/static", files)
