# %% [markdown]
# # Does the pattern of turn-taking hang on a limit that somebody chose?
#
# Counts turn-taking anew from the stored segments of a study: backchannels of up to 0.5 … 1.5 s, holds of
# 0.3 … 1.0 s, every reading of a definition, events pooled or run by run. Prints η² under the study's own
# definitions with its least and largest value, and writes all settings to `figures/robustness.csv`.
#
#     python analysis/robustness.py demo demo          # study, store

# %%
import sys

import pandas as pd

from dyad.cli.args import parse
from dyad.cli.verbs import stored
from dyad.pipeline import talks
from dyad.tables.robustness import robustness, sweep

# A notebook's kernel has arguments of its own, never exactly two.
NAME, STORE = sys.argv[1:] if len(sys.argv) == 3 else ("demo", "demo")
study = stored(parse(["measure", f"study={NAME}", f"store={STORE}"]))
grid = sweep(list(talks(study)))
mode = study.config.mode
print(f"{NAME}: {len(study.ids)} conversations, {len(grid)} settings, definitions: {mode}")

# %%
rows = pd.DataFrame(robustness(grid, mode))
for (condition, measure), own in rows.groupby(["condition", "measure"], sort=False):
    print(f"\n{' '.join(filter(None, (measure, condition)))}: {own['note'].iat[0]}")
    if own["value"].notna().any():
        print(own[["term", "value", "low", "high"]].round(3).to_string(index=False))

# %%
path = study.folder / "figures" / "robustness.csv"
path.parent.mkdir(exist_ok=True)
grid.to_csv(path, index=False)
print(f"\n{path}")
