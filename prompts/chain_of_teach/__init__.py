"""Chain of Teach: the prompt of Algorithm 1, its worked examples, and a teacher without a language model."""
