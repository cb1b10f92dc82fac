"""The measures of Full-Duplex-Bench v1.0, and which way each is better."""

from __future__ import annotations

from math import inf

from dyad.measure.catalogue import Measure

ANY, SHARE, LEVELS = (-inf, inf), (0.0, 1.0), (0.0, 5.0)  # bounds of values

MEASURES: dict[str, Measure] = {
    "tor": Measure("share", 0, "takeover rate: the model takes the turn"),
    "tor_any_file": Measure("share", 0, "takes a turn anywhere in the recording"),
    "latency": Measure("s", -1, "from the end of the user's turn to the model's; 0 where it came earlier"),
    "latency_raw": Measure("s", 0, "the same, negative where the model came earlier, over replies", ANY),
    "early": Measure("share", 0, "replies that start before the user's turn has ended"),
    "bc_count": Measure("per_run", 0, "backchannels"),
    "bc_freq": Measure("per_s", 1, "backchannels per second of the recording"),
    "jsd": Measure("ratio", -1, "Jensen-Shannon distance of their places from where people put them", SHARE),
    "rating": Measure("level", 1, "how well the reply fits the interruption, 0 to 5, over takeovers", LEVELS),
}

# A takeover is wrong in a pause and under a backchannel, and right at the end of a turn.
BETTER: dict[tuple[str, str], int] = {
    (kind, measure): sign
    for measure in ("tor", "tor_any_file")
    for kind, sign in (("pause", -1), ("backchannel", -1), ("turn_taking", 1), ("interruption", 1))
}
