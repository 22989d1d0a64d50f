"""Vectors, off by default: embeddings of the pairs beside their tokens, and both rankings fused.

Nothing here is imported unless an embedding model is configured.
"""
