"""Stands in for llama-cpp-python in the child process that serves a model file."""
