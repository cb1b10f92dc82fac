"""What loads the model and shows it to the service."""
