"""What is behind a pipeline."""
