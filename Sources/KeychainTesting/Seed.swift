// The module's own files follow.
