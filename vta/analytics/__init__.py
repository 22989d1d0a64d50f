"""What a course's questions say about it: plain arithmetic over frozen rows, small cohorts hidden."""
