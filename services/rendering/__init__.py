"""What the platform says, as JSON and as safe HTML."""
