"""Spans by OpenTelemetry, which is an extra."""
