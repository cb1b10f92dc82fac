"""Every figure of a study; what it has no data for is named and left out.

python analysis/figures/all.py STUDY [--out FOLDER]
"""

from analysis.figures import act_success, balance, diallel, judges, profiles, scores, times, turns, windows
from analysis.figures.script import main

PLOTS = tuple(
    module.PLOT for module in (scores, turns, diallel, times, act_success, windows, balance, judges, profiles)
)
if __name__ == "__main__":
    main(*PLOTS)
