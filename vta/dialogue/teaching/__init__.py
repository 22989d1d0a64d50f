"""Chain of Teach: the prompt of Algorithm 1, and a teacher without a language model."""
