"""Full-Duplex-Bench v1.0 (arXiv 2503.04721) and v1.5 (arXiv 2507.23159)."""
