# %% [markdown]
# # A first look at a study
#
# Opens `table.parquet` of a study, prints its score matrices and turn-taking rates, and draws when each agent
# first speaks in role and first drops out of it.
#
#     python analysis/first_look.py demo/studies/demo
#
# Editors that know percent cells open this file as a notebook; `jupytext --to ipynb` converts it.

# %%
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from dyad.measure.catalogue import MEASURES
from dyad.stats import kaplan_meier
from dyad.tables import of_judge
from dyad.tables.scores import matrices

# A notebook's kernel has arguments of its own, never exactly one.
STUDY = Path(sys.argv[1] if len(sys.argv) == 2 else "demo/studies/demo")
table = pd.read_parquet(STUDY / "table.parquet")
_, JUDGE, _ = table.attrs["settings"]  # whose labels the study shows; `table["judge"].unique()` are all
rows = of_judge(table, JUDGE)
runs = rows["run_id"].nunique()
print(
    f"{STUDY.name}: {runs} conversations, {len(rows)} rows, judge: {JUDGE}, "
    f"definitions: {', '.join(rows['mode'].unique())}"
)

# %% [markdown]
# ## Score matrices
#
# Row: the agent that acts. Column: its partner. Counts are pooled; scores of a pair count for both agents.

# %%
scores = pd.DataFrame(matrices(rows))
scores["cell"] = [
    "–" if pd.isna(value) else f"{value:.2f} ({hits:g}/{n:g})"
    for value, hits, n in zip(scores["value"], scores["hits"], scores["n"], strict=True)
]
for archetype, own in scores.groupby("archetype"):
    measure = own["measure"].iat[0]
    print(f"\n{archetype} {measure}: {MEASURES[measure].about}")
    print(own.pivot(index="agent", columns="partner", values="cell").fillna("").to_string())

# %% [markdown]
# ## Turn-taking, by hand
#
# The same rule for any measure: leave missing values out, add `value` and `n`, divide last.

# %%
turns = rows[
    rows["measure"].isin(["tor_pause", "tor_end", "barge_in", "backchannels"]) & rows["value"].notna()
]
sums = turns.groupby(["measure", "agent", "partner"])[["value", "n"]].sum()
sums["rate"] = sums["value"] / sums["n"].where(sums["n"] > 0)
print(f"\n{sums.round(2).to_string()}")

# %% [markdown]
# ## Time in role (T1)
#
# A seat that never entered is censored at the end of the recording; `observed` says which rows are events.

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), sharey=True, layout="constrained")
for axis, measure in zip(axes, ["entry", "deviation"], strict=True):
    for agent, own in rows[(rows["measure"] == measure) & rows["value"].notna()].groupby("agent"):
        curve = kaplan_meier(own["value"].to_numpy(), own["observed"].to_numpy())
        if curve is None:
            continue
        share = [1.0, *map(float, curve.survival)]
        axis.step([curve.start, *curve.times], share, where="post", label=f"{agent} (n={curve.n})")
        print(f"{measure} of {agent}: {sum(curve.n_events)} of {curve.n} seats, median {curve.median} s")
    axis.set(xlabel="s", title=MEASURES[measure].about, ylim=(0, 1.02), yticks=np.linspace(0, 1, 5))
    axis.legend(frameon=False)
axes[0].set_ylabel("share of seats")

# %%
path = STUDY / "figures" / "time_in_role.png"
path.parent.mkdir(exist_ok=True)
figure.savefig(path, dpi=150)
print(f"\n{path}")
