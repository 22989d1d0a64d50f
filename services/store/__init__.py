"""The relational store: engine, transactions, schema, jobs, locks."""
