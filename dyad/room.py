"""Room: refuses, before anything is loaded or written, agents that need more memory than is free."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dyad.bridge.protocol import Demand, Family, Room, family_of
from dyad.bridge.wiring import each_pair, full_lanes, most_rows
from dyad.errors import ConfigError
from dyad.host.memory import free_bytes
from dyad.launch import processes
from dyad.plan import demands
from dyad.simulate import alike, batches
from dyad.spec import AgentSpec, RunSpec
from dyad.spec.study import LauncherSettings

GB = 1e9


@dataclass(frozen=True)
class Tenant:
    """A loaded agent that takes memory; `key` is that of its specs."""

    name: str
    key: str
    room: Room

    @property
    def device(self) -> str:
        """Where its memory is; `cuda` is the first of the CUDA devices."""
        return "cuda:0" if self.room.device == "cuda" else self.room.device

    def need(self, rows: int) -> int:
        """Return the bytes of one loaded agent that serves so many rows."""
        return self.room.weights_bytes + rows * self.room.row_bytes + self.room.extra_bytes


def check_room(
    runs: Sequence[RunSpec], launcher: LauncherSettings, free: Callable[[str], int | None] = free_bytes
) -> None:
    """Raise ConfigError when the agents of `runs` need more memory than is free, and say what would fit.

    All agents stay loaded, in each process that has a batch to play. `free` gives the bytes that are free on
    a device.
    """
    tenants, pairs = list(_tenants(runs, launcher)), each_pair(runs)
    limits = {device: have for device in _devices(tenants) if (have := free(device)) is not None}
    groups = alike(runs)
    widest = max((full_lanes(run, launcher.lanes) for run in pairs), default=0)

    def started(workers: int, lanes: int) -> int:
        asked = launcher.model_copy(update={"workers": workers, "lanes": lanes})
        return processes(workers, len(batches(groups, asked)))

    def crowded(workers: int, lanes: int) -> list[str]:
        count, rows = started(workers, lanes), most_rows(pairs, lanes)
        return [d for d, have in limits.items() if count * _needed(_on(d, tenants), rows) > have]

    def most_lanes(workers: int) -> int:
        return next((n for n in range(widest, 0, -1) if not crowded(workers, n)), 0)

    if full := crowded(launcher.workers, launcher.lanes):
        device = full[0]
        there, rows = _on(device, tenants), most_rows(pairs, launcher.lanes)
        count, have = started(launcher.workers, launcher.lanes), limits[device]
        advice = _advice(most_lanes(launcher.workers), most_lanes(1), _needed(there, Counter()) <= have)
        raise ConfigError(f"{_bill(there, rows, device, count)}, {_gb(have)} are free; {advice}")


def check_one(
    family: Family, spec: AgentSpec, demand: Demand, free: Callable[[str], int | None] = free_bytes
) -> None:
    """Raise ConfigError when one agent needs more memory than is free for the rows that are asked of it."""
    if not (room := family.room(spec, demand)):
        return
    tenant = Tenant(spec.name, spec.key, room)
    have = free(tenant.device)
    if have is not None and tenant.need(demand.rows) > have:
        bill = _bill([tenant], {tenant.key: demand.rows}, tenant.device, 1)
        raise ConfigError(f"{bill}, {_gb(have)} are free; free some, or choose another device")


def _tenants(runs: Sequence[RunSpec], launcher: LauncherSettings) -> Iterable[Tenant]:
    longest_last = sorted(demands(runs, launcher), key=lambda asked: asked[1].ticks)
    loaded = {agent.key: (agent, demand) for agent, demand in longest_last}
    for key, (agent, demand) in loaded.items():
        if room := family_of(agent.adapter).room(agent, demand):
            yield Tenant(agent.name, key, room)


def _devices(tenants: Iterable[Tenant]) -> list[str]:
    return sorted({tenant.device for tenant in tenants})


def _on(device: str, tenants: Iterable[Tenant]) -> list[Tenant]:
    return [tenant for tenant in tenants if tenant.device == device]


def _needed(tenants: Iterable[Tenant], rows: Mapping[str, int]) -> int:
    """Return the bytes that one process takes."""
    return sum(tenant.need(rows[tenant.key]) for tenant in tenants)


def _advice(lanes: int, lanes_of_one: int, weights_fit: bool) -> str:
    """Say which lanes fit, in the processes that were asked for or else in one; 0 means none."""
    if lanes:
        return f"launcher.lanes={lanes} fits"
    if lanes_of_one:
        return f"one process fits: launcher.workers=1 (or launcher=gpu) with launcher.lanes={lanes_of_one}"
    shorter = "set a shorter window_s, or " if weights_fit else ""
    return f"not even one lane fits; {shorter}use a device with more memory"


def _bill(tenants: Sequence[Tenant], rows: Mapping[str, int], device: str, processes: int) -> str:
    """Return who needs how much of a device, and what for."""
    names = ", ".join(f"'{tenant.name}'" for tenant in tenants)
    who = f"agents {names} need" if len(tenants) > 1 else f"agent {names} needs"
    parts = [f"{tenant.name}: " * (len(tenants) > 1) + _parts(tenant, rows[tenant.key]) for tenant in tenants]
    each = f"{processes} processes, each " * (processes > 1)
    return f"{who} {_gb(processes * _needed(tenants, rows))} on {device} ({each}{'; '.join(parts)})"


def _parts(tenant: Tenant, rows: int) -> str:
    room = tenant.room
    extra = f", {_gb(room.extra_bytes)} besides" if room.extra_bytes else ""
    return f"weights {_gb(room.weights_bytes)}, {rows} rows of {_gb(room.row_bytes)}{extra}"


def _gb(size: int) -> str:
    return f"{size / GB:.{1 if size >= 10 * GB else 2}f} GB"
