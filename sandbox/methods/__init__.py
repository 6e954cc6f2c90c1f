"""Methods of the Web API by family: each takes its arguments and returns Slack's answer, or raises `Refused`."""

from collections.abc import Callable

from sandbox.arguments import Arguments
from sandbox.models import Json

Method = Callable[[Arguments], Json]
