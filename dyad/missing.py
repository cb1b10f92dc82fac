"""Missing: what agents need that is not on this machine, one line for each, before anything is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from dyad.bridge.protocol import Demand, Family, Part, family_of
from dyad.errors import ConfigError, Missing
from dyad.host.memory import free_bytes
from dyad.spec import SEATS, AgentSpec, RunSpec
from dyad.spec.study import StudyConfig

GB = 1e9
NAMED = frozenset({"packages", "weights", "licence"})  # without these nobody can say what would be played
PLAYED = NAMED | {"environment", "device"}
TICKS = 750  # of a conversation, where its memory is only estimated

Free = Callable[[str], int | None]


def check_named(studies: Sequence[StudyConfig]) -> None:
    """Raise Missing, with all that the agents of some studies lack, when their runs cannot be named."""
    agents = [(getattr(study.pairing, seat), study.launcher.device) for study in studies for seat in SEATS]
    _check(agents, NAMED)


def check_played(runs: Iterable[RunSpec], device: str) -> None:
    """Raise Missing, with all that the agents of some runs lack, when these cannot be played here."""
    agents = [run.seat(seat).agent for run in runs for seat in SEATS]
    _check([(spec, device) for spec in {id(spec): spec for spec in agents}.values()], PLAYED)


def lacking(family: Family, spec: AgentSpec, device: str, free: Free = free_bytes) -> list[Part]:
    """Return what one agent lacks on this machine; `free` gives the bytes that are free on a device."""
    lacks = [part for part in family.parts(spec, device) if part.state != "ready"]
    return [*lacks, *_memory(family, spec, device, free)]


def hinders(part: Part, kinds: frozenset[str] = PLAYED) -> bool:
    """Whether something that is lacking has to be got by hand."""
    return part.kind in kinds and part.state != "fetched"


def _check(agents: Iterable[tuple[AgentSpec, str]], kinds: frozenset[str]) -> None:
    distinct = {(spec.key, spec.name, device): spec for spec, device in agents}
    each = [lacking(family_of(spec.adapter), spec, device) for (*_, device), spec in distinct.items()]
    lacks = list(chain.from_iterable(each))
    if any(hinders(part, kinds) for part in lacks):
        raise Missing(dict.fromkeys(part.lack for part in lacks))


def _memory(family: Family, spec: AgentSpec, device: str, free: Free) -> list[Part]:
    """Return a part when not even one row fits; none where files are missing that tell what it needs."""
    try:
        room = family.room(spec, Demand(1, TICKS, (), device))
    except ConfigError:
        return []
    if room is None:
        return []
    need = room.weights_bytes + room.row_bytes + room.extra_bytes
    needs = f"agent '{spec.name}' needs {need / GB:.1f} GB of memory on {room.device}"
    try:
        have = free(room.device)
    except ConfigError:
        return [Part("device", "missing", f"{needs}, and there is no such device; use a machine with a GPU")]
    if have is None or need <= have:
        return []
    lack = f"{needs}, {have / GB:.1f} GB are free; use a device with more, e.g. launcher=gpu"
    return [Part("memory", "missing", lack)]
