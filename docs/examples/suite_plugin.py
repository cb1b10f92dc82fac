"""A suite of one's own: does a model make a sound while it hears one?"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import soundfile

from dyad.judge.case import Excerpt
from dyad.measure.catalogue import Measure
from dyad.spec import Label
from dyad.spec.suite import Stimulus, SuiteSettings
from dyad.suites.protocol import Mode, Scored, SuiteFamily, Trial


def stimuli(settings: SuiteSettings, made: Path) -> list[Stimulus]:
    return [
        Stimulus(
            id=f"tones.{sound.stem}", task="tones", kind="tone", clip=sound.stem, folder=str(sound.parent),
            sound=sound.name, duration_s=soundfile.info(sound).duration, span=(0.2, 0.8),
        )
        for sound in sorted(Path(settings.data).absolute().glob("*.wav"))
    ]  # fmt: skip


def score(trial: Trial, labels: Sequence[Label], mode: Mode, flags: Mapping[str, bool]) -> list[Scored]:
    return [Scored("loud", float(np.abs(trial.model.pcm.astype(int)).max() > 1000))]


FAMILY = SuiteFamily(
    name="tones",
    about="sounds over sounds",
    stimuli=stimuli,
    score=score,
    excerpt=lambda trial: Excerpt("", {}),  # asks judges nothing
    measures={"loud": Measure("share", 1, "makes a sound")},
)
