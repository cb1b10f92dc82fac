"""What a model does under an overlap, and all numbers of such a trial (FDB v1.5, arXiv 2507.23159)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from dyad.judge.case import Excerpt
from dyad.judge.silence import settled
from dyad.measure.catalogue import Measure
from dyad.spec import Label
from dyad.suites.protocol import ASR_FAILED, NO_TRANSCRIPT, Mode, Scored, Trial
from dyad.suites.words import Ipu, Timed, ipus, is_unheard, words_of
from dyad.text import joined

from .acoustics import NO_TWIN, PARTS, acoustics
from .given import with_theirs
from .timing import NO_VAD, latencies, speech

QUESTION = "fdb.behaviour"
TAGS: dict[str, str] = {
    "respond": "C_RESPOND",
    "resume": "C_RESUME",
    "uncertain": "C_UNCERTAIN_HANDLING",
    "unknown": "C_UNKNOWN",
}

_SOUND: dict[str, Measure] = {
    "utmos": Measure("level", 1, "UTMOSv2 opinion score, 1 to 5,", (1.0, 5.0)),
    "wpm": Measure("per_min", 0, "words per minute"),
    "speech_s": Measure("s", 0, "from the first word to the last"),
    "pitch": Measure("level", 0, "mean pitch in Hz", (0.0, inf)),
    "pitch_std": Measure("level", 0, "standard deviation of the pitch in Hz", (0.0, inf)),
    "intensity": Measure("level", 0, "mean intensity in dB"),
    "intensity_std": Measure("level", 0, "standard deviation of the intensity in dB", (0.0, inf)),
}
_WHERE = {"pre": "before the overlap ends", "post": "after the overlap", "clean": "without the overlap"}

MEASURES: dict[str, Measure] = {
    "stop_latency": Measure("s", 0, "from the start of the overlap until the model stops"),
    "resp_latency": Measure("s", 0, "from the end of the overlap until the model starts anew"),
    "respond": Measure("share", 0, "answers what the overlap said"),
    "resume": Measure("share", 0, "goes on with its earlier answer"),
    "uncertain": Measure("share", 0, "says that it did not catch something, and answers nothing"),
    "unknown": Measure("share", 0, "says nothing new, or something empty or beside the point"),
    "part_s_pre": Measure("s", 0, "length of the recording before the overlap ends"),
    "part_s_post": Measure("s", 0, "length of the recording after the overlap"),
} | {
    f"{name}_{part}": measure._replace(about=f"{measure.about} {_WHERE[part]}")
    for name, measure in _SOUND.items()
    for part in PARTS
}
UNASKED = (ASR_FAILED, NO_VAD)  # problems of which the authors' scripts know nothing
JUDGED = frozenset(TAGS)  # the measures that rest on a judge


def overlap_scores(
    trial: Trial, labels: Sequence[Label], mode: Mode, flags: Mapping[str, bool]
) -> list[Scored]:
    """Return all numbers of a trial with an overlap; none of the twin without it, which has no own.

    The behaviour is 1 of one measure of `TAGS` and 0 of the others.
    """
    if trial.stimulus.clean:
        return []
    return [*latencies(trial, mode, flags), *behaviour(trial, labels, mode), *acoustics(trial, mode, flags)]


def behaviour(trial: Trial, labels: Sequence[Label], mode: Mode = "strict") -> list[Scored]:
    """Return the four shares of `TAGS`, missing without an answer of the judge.

    A model that says nothing at all needs none: it is C_UNKNOWN. In compat each of several given tags counts,
    and a tag also where no word was heard in the model's speech, which the authors do not ask.
    """
    if mode == "compat":
        labels = with_theirs(trial, labels)
    problem, shown = _problem(trial), excerpt(trial)
    own, known = ([x for x in y if x.question == QUESTION] for y in (labels, settled(shown) if shown else ()))
    found = [*own, *known]
    tags = [x.label for x in own if x.label is not None] or [x.label for x in known if x.label is not None]
    if problem and not (mode == "compat" and tags and problem in UNASKED):
        return [Scored(name, None, 0.0, reason=problem) for name in TAGS]
    if not tags:
        reason = found[-1].status if found else "not judged"
        return [Scored(name, None, 0.0, reason=reason) for name in TAGS]
    counted = tags if mode == "compat" else tags[:1]
    return [Scored(name, float(counted.count(tag)), float(len(counted))) for name, tag in TAGS.items()]


def excerpt(trial: Trial) -> Excerpt | None:
    """Return the four transcripts that a judge of behaviour reads; None where one is lacking.

    One line per stretch of speech, `[start-end] words` in seconds. Of the model only words that are speech
    count; of what was played all, for a voice in the background may be too faint for a VAD.
    """
    if trial.clean is None or trial.clean_user is None or trial.stimulus.clean or _problem(trial):
        return None
    parts = {
        "input_clean": lines(words_of(trial.clean_user)),
        "input_noisy": lines(words_of(trial.user)),
        "output_clean": lines(words_of(trial.clean, gate=True)),
        "output_noisy": lines(words_of(trial.model, gate=True)),
    }
    return Excerpt("fdb", parts)


def lines(words: Sequence[Timed]) -> str:
    """Return words as one line per inter-pausal unit, e.g. `[0.40-3.60] How are bees`."""
    return "\n".join(map(_line, ipus(words)))


def _line(unit: Ipu) -> str:
    said = joined([" ".join(word.text.split()) for word in unit.words])
    return f"[{unit.start:.2f}-{unit.end:.2f}] {said}"


def _problem(trial: Trial) -> str:
    """Say why nothing can be asked: all four transcripts must be there, as for the authors' script."""
    if trial.clean is None or trial.clean_user is None:
        return NO_TWIN
    if any(sound.words is None for sound in (trial.user, trial.model, trial.clean_user, trial.clean)):
        return NO_TRANSCRIPT
    if speech(trial.model) is None or speech(trial.clean) is None:
        return NO_VAD
    return ASR_FAILED if is_unheard(trial.model) or is_unheard(trial.clean) else ""
