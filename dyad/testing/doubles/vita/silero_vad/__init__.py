"""Silero's voice activity detector: an iterator over windows of 512 samples, driven by level."""

from __future__ import annotations

import torch

WINDOW = 512
LOUD = 0.003  # root mean square


class Detector:
    """Gives the probability of speech in a window."""

    def reset_states(self) -> None:
        """Forget nothing: a level has no memory."""

    def __call__(self, window: torch.Tensor, rate: int) -> torch.Tensor:
        """Return the probability for float32 [512]."""
        if window.shape != (WINDOW,) or rate != 16_000:
            raise ValueError(f"Provided number of samples is {list(window.shape)} (Supported values: 512)")
        return torch.tensor(float(window.pow(2).mean().sqrt() > LOUD))


def load_silero_vad(onnx: bool = False) -> Detector:
    """Return the detector."""
    return Detector()


class VADIterator:
    """Finds where speech starts and ends."""

    def __init__(
        self,
        model: Detector,
        threshold: float = 0.5,
        sampling_rate: int = 16_000,
        min_silence_duration_ms: int = 100,
        speech_pad_ms: int = 30,
    ) -> None:
        """`min_silence_duration_ms` of silence end speech."""
        self.model, self.threshold, self.sampling_rate = model, threshold, sampling_rate
        self.min_silence_samples = sampling_rate * min_silence_duration_ms // 1000
        self.reset_states()

    def reset_states(self) -> None:
        """Forget what was heard."""
        self.model.reset_states()
        self.triggered, self.quiet, self.current_sample = False, 0, 0

    def __call__(self, x: torch.Tensor, return_seconds: bool = False) -> dict[str, int] | None:
        """Take one window; return a start, an end, or nothing."""
        self.current_sample += len(x)
        loud = self.model(x, self.sampling_rate).item() >= self.threshold
        # the window in which silence begins does not count
        self.quiet = -len(x) if loud else self.quiet + len(x)
        if loud and not self.triggered:
            self.triggered = True
            return {"start": self.current_sample - len(x)}
        if self.triggered and self.quiet >= self.min_silence_samples:
            self.triggered = False
            return {"end": self.current_sample - self.quiet}
        return None
