"""Libraries that the bot loads at its first call of a model: loaded before the forks, since each would take a second.

Only the fork server imports this module, so that neither a worker nor a collection of the tests waits for them.
"""

from __future__ import annotations

import anthropic.resources.messages  # noqa: F401  # loaded before the forks
