"""What the environment of Parakeet has."""
