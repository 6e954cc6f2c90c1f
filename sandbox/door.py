"""Origin check: only programs on this machine and the workspace's own page may send requests.

Any web page can make a browser send requests to 127.0.0.1; the headers Host, Origin and Sec-Fetch-Site reveal that.
"""

from collections.abc import Awaitable, Callable

from aiohttp import web
from yarl import URL

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def loopback_only(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer 403 to a foreign Host or Origin; other sites may only link to the page itself."""
    if not _is_loopback(request.headers.get("Host", "")):
        return _build_refusal("this workspace only answers to 127.0.0.1")
    origin = request.headers.get("Origin")
    if origin is not None and origin != f"http://{request.headers['Host']}":
        return _build_refusal("another page's origin")
    if request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site") and not _is_page(request.path):
        return _build_refusal("another page's request")
    return await handler(request)


def _is_loopback(host: str) -> bool:
    try:
        return URL(f"http://{host}").host in LOOPBACK
    except ValueError:
        return False


def _is_page(path: str) -> bool:
    return path == "/" or path.startswith("/archives/")


def _build_refusal(error: str) -> web.Response:
    return web.json_response({"ok": False, "error": f"refused: {error}"}, status=403)
