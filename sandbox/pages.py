"""Routes of the workspace's page and its static files."""

from pathlib import Path

from aiohttp import web

from sandbox.door import POLICY

FOLDER = Path(__file__).parent / "page"

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def page_routes() -> list[web.RouteDef]:
    """Return the routes; a permalink shows the page too, which then finds the message by its URL."""
    return [
        web.get("/", _page),
        web.get("/archives/{channel}", _page),
        web.get("/archives/{channel}/{message}", _page),
        web.get("/page/{name}", _file),
    ]


async def _page(_: web.Request) -> web.Response:
    return _response(FOLDER / "index.html")


async def _file(request: web.Request) -> web.Response:
    name = request.match_info["name"]
    files = {path.name: path for path in FOLDER.iterdir() if path.suffix in _TYPES}
    if name not in files:
        raise web.HTTPNotFound
    return _response(files[name])


def _response(path: Path) -> web.Response:
    kind = _TYPES[path.suffix]
    return web.Response(body=path.read_bytes(), content_type=kind, charset="utf-8", headers=_HEADERS)
