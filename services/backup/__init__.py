"""A backup of all that the relational store holds, or of one course, and its way back into any store."""
