// A catalog of articles, and no code: the way into the reference (`Scripts/docs`).
