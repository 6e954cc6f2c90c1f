"""Methods assistant.threads.* and agents.sessions.*: the assistant state of threads."""

from typing import Any

from sandbox import seed
from sandbox.arguments import Arguments
from sandbox.assistance import SESSION_STATUSES, Assistance
from sandbox.conversation import Conversation
from sandbox.manifest import Manifest
from sandbox.methods import Method
from sandbox.models import Json, Refused
from sandbox.workspace import Workspace

UNHEARD = "missing_agent_session_stopped_event_subscription"
LONGEST_TITLE = 200


class Assistant:
    """Status, session, title and prompts of threads, as methods of the Web API."""

    def __init__(self, *, workspace: Workspace, assistance: Assistance, manifest: Manifest | None) -> None:
        self._workspace = workspace
        self._assistance = assistance
        self._is_agent = manifest is not None and "agent_view" in manifest.views
        self._may_have_sessions = manifest is None or self._is_agent

    def methods(self) -> dict[str, Method]:
        return {
            "agents.sessions.setStatus": self.set_session,
            "assistant.threads.setStatus": self.set_status,
            "assistant.threads.setTitle": self.set_title,
            "assistant.threads.setSuggestedPrompts": self.set_prompts,
        }

    def set_status(self, arguments: Arguments) -> Json:
        conversation, ts = self._find_conversation(arguments), arguments.required("thread_ts")
        _check_thread(conversation, ts)
        if "status" not in arguments.values:
            raise Refused("invalid_arguments", "[ERROR] missing required field: status")
        messages = _list(arguments.structure("loading_messages"), "loading_messages")
        status = arguments.text("status") or ""
        self._assistance.set_status(conversation.id, ts, status, [str(each) for each in messages])
        return {}

    def set_session(self, arguments: Arguments) -> Json:
        """Create a thread's session or change its status; warns an app without a subscription to the stop event."""
        if not self._may_have_sessions:
            raise Refused("not_authorized")
        conversation, ts = self._find_conversation(arguments), arguments.required("thread_ts")
        _check_thread(conversation, ts)
        status = arguments.required("status")
        if status not in SESSION_STATUSES:
            raise Refused("invalid_arguments", "[ERROR] must be a valid enum value [json-pointer:/status]")
        title = arguments.text("title") or ""
        if len(title) > LONGEST_TITLE:
            raise Refused("invalid_arguments", f"[ERROR] must be less than {LONGEST_TITLE + 1} characters")
        self._assistance.set_session(conversation.id, ts, status, title)
        answer: Json = {
            "status": status,
            "agent_status": status,
            "title": self._assistance.title_of(conversation.id, ts),
        }
        if self._assistance.hears_stops:
            return answer
        return {**answer, "warning": UNHEARD, "response_metadata": {"warnings": [UNHEARD]}}

    def set_title(self, arguments: Arguments) -> Json:
        conversation, ts = self._find_conversation(arguments), arguments.required("thread_ts")
        _check_thread(conversation, ts)
        self._assistance.set_title(conversation.id, ts, arguments.required("title"))
        return {}

    def set_prompts(self, arguments: Arguments) -> Json:
        """Offer prompts; in a thread of an app with an `agent_view` Slack answers ok and shows nothing."""
        conversation, ts = self._find_conversation(arguments), arguments.text("thread_ts") or ""
        if ts:
            _check_thread(conversation, ts)
        prompts = _list(arguments.structure("prompts"), "prompts")
        for index, prompt in enumerate(prompts):
            if not isinstance(prompt, dict) or not all(
                isinstance(prompt.get(key), str) for key in ("title", "message")
            ):
                raise Refused(
                    "invalid_arguments", f"[ERROR] must have a title and a message [json-pointer:/prompts/{index}]"
                )
        if not (ts and self._is_agent):
            self._assistance.suggest(conversation.id, ts, arguments.text("title") or "", prompts)
        return {}

    def _find_conversation(self, arguments: Arguments) -> Conversation:
        return self._workspace.conversation(arguments.required("channel_id"), member=seed.BOT_USER)


def _check_thread(conversation: Conversation, ts: str) -> None:
    if ts not in conversation.messages:
        raise Refused("invalid_thread_ts")


def _list(value: Any, name: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise Refused("invalid_arguments", f"[ERROR] must provide an array [json-pointer:/{name}]")
    return value
