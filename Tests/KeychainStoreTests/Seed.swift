// The tests follow.
