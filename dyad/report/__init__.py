"""The report: one self-contained page of a study, with its recordings to listen to."""
