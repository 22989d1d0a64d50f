"""The two sample courses that `vta demo` creates."""
