// The worker follows.
