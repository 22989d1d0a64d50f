"""The search index as it follows the store."""
