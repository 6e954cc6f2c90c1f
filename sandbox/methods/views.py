"""views.*: the dialogs the bot opens."""

from sandbox.arguments import Arguments
from sandbox.dialogs import Dialogs
from sandbox.methods import Method
from sandbox.models import Json, Refused


class Views:
    """Dialogs, as methods of the Web API."""

    def __init__(self, *, dialogs: Dialogs) -> None:
        self._dialogs = dialogs

    def methods(self) -> dict[str, Method]:
        return {"views.open": self.open_view, "views.update": self.update}

    def open_view(self, arguments: Arguments) -> Json:
        trigger = arguments.text("trigger_id") or arguments.required("interactivity_pointer")
        return {"view": self._dialogs.open(trigger, arguments.structure("view"))}

    def update(self, arguments: Arguments) -> Json:
        name = arguments.text("view_id") or arguments.text("external_id")
        if name is None:
            raise Refused("invalid_arguments", "[ERROR] missing required field: view_id")
        return {"view": self._dialogs.update(name, arguments.structure("view"), hash_seen=arguments.text("hash"))}
