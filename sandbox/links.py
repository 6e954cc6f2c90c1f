"""URLs of the workspace, all on its loopback origin."""

from dataclasses import dataclass
from urllib.parse import urlencode

from sandbox.models import Message


@dataclass(frozen=True, slots=True)
class Links:
    """URL builder for a port."""

    port: int

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def api(self) -> str:
        """Return the base URL for API clients."""
        return f"{self.origin}/api/"

    def url_of(self, path: str) -> str:
        """Return the URL of a path."""
        return f"{self.origin}{path}"

    def permalink(self, message: Message) -> str:
        path = f"{self.origin}/archives/{message.channel}/p{message.ts.replace('.', '')}"
        if not message.is_reply:
            return path
        return f"{path}?{urlencode({'thread_ts': message.thread_ts, 'cid': message.channel})}"

    def socket(self, ticket: str, app_id: str) -> str:
        return f"ws://127.0.0.1:{self.port}/link/?{urlencode({'ticket': ticket, 'app_id': app_id})}"

    def response(self, key: str) -> str:
        return f"{self.origin}/respond/{key}"
