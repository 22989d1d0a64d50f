"""The common parts of all routes: errors, limits, metrics, logs, threads."""
