"""Who speaks in the sidebar: learners that a platform vouches for, and which sites may embed it."""
