"""Measuring answers and rankings against labelled data."""
