"""Fixed-stimulus sets from two-channel recordings of people, after the French preparation (arXiv 2609.10765).

The paper's scripts are not public: rules that it leaves open are marked as ours in docs/prepare.md.
"""
