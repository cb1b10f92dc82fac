"""Recognition, of which the pipeline uses the frames."""
