// Document 002, line for line, is still to come.
