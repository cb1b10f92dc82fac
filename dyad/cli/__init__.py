"""The command line: verbs are stages, options are Hydra overrides (layer 4)."""
