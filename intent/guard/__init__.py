"""A signal for questions that look like orders to the assistant. It blocks nothing by itself."""
