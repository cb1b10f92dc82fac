"""A stand-in for MiniCPM-o 4.5: the interface of its demo's model, and a model of twenty words."""
