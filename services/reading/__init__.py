"""How files from outside are read: in a child process with bounds on memory, time and result."""
