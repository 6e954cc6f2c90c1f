"""Methods views.* and dialog.open: the bot's dialogs, and the Home."""

from sandbox.arguments import Arguments
from sandbox.dialogs import Dialogs
from sandbox.homes import Homes
from sandbox.legacy_dialogs import LegacyDialogs
from sandbox.manifest import Manifest
from sandbox.methods import Method
from sandbox.models import Json, Refused
from sandbox.workspace import Workspace


class Views:
    """Dialogs and Homes, as methods of the Web API."""

    def __init__(
        self, *, workspace: Workspace, dialogs: Dialogs, homes: Homes, legacy: LegacyDialogs, manifest: Manifest | None
    ) -> None:
        self._workspace = workspace
        self._dialogs = dialogs
        self._homes = homes
        self._legacy = legacy
        self._has_home = manifest is None or manifest.has_home

    def methods(self) -> dict[str, Method]:
        return {
            "views.open": self.open_view,
            "views.push": self.push,
            "views.update": self.update,
            "views.publish": self.publish,
            "dialog.open": self.open_dialog,
        }

    def open_view(self, arguments: Arguments) -> Json:
        return {"view": self._dialogs.open(_trigger(arguments), arguments.structure("view"))}

    def open_dialog(self, arguments: Arguments) -> Json:
        """Open a legacy dialog."""
        self._legacy.open(_trigger(arguments), arguments.structure("dialog"))
        return {}

    def push(self, arguments: Arguments) -> Json:
        return {"view": self._dialogs.push(_trigger(arguments), arguments.structure("view"))}

    def update(self, arguments: Arguments) -> Json:
        name = arguments.text("view_id") or arguments.text("external_id")
        if name is None:
            raise Refused("invalid_arguments", "[ERROR] missing required field: view_id")
        view, hash_seen = arguments.structure("view"), arguments.text("hash")
        owner = self._homes.owner(name)
        if owner is not None:
            return {"view": self._homes.publish(owner, view, hash_seen=hash_seen)}
        return {"view": self._dialogs.update(name, view, hash_seen=hash_seen)}

    def publish(self, arguments: Arguments) -> Json:
        if not self._has_home:
            raise Refused("not_enabled")
        user = self._workspace.person(arguments.required("user_id")).id
        view = self._homes.publish(user, arguments.structure("view"), hash_seen=arguments.text("hash"))
        return {"view": view}


def _trigger(arguments: Arguments) -> str:
    return arguments.text("trigger_id") or arguments.required("interactivity_pointer")
