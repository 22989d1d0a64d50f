"""What all routes share: errors, limits, metrics, logs, threads."""
