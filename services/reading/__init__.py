"""Reading of foreign files, in a child process with bounds on memory, time and result."""
