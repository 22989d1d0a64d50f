"""The analytics of a course's questions: plain arithmetic over frozen rows, small cohorts hidden."""
