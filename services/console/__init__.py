"""The instructors' console: pages rendered on the server, written to by plain forms."""
