"""What goes into a stream."""
