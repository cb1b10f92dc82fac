"""The tests: a package, as a mere folder would be hidden by any other that is called `tests`."""
