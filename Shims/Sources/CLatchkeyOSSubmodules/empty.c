// SwiftPM wants a source file in each target; this one has only a module map.
