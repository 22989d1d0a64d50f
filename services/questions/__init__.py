"""Questions that wait for a real TA: queue, inbox, answers, and notices of new ones."""
