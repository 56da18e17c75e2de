import ArgumentParser

/// How long a device is looked for: `--seconds`, which was `--search-timeout` before.
struct SearchOptions: ParsableArguments {
  @Option(help: "How long to look for a device, in seconds: 30 unless given.") var seconds: Double?
  @Option(help: .hidden) var searchTimeout: Double?

  /// The time, in seconds.
  var duration: Double { seconds ?? searchTimeout ?? 30 }

  func validate() throws {
    guard 0...86_400 ~= duration else { throw ValidationError("--seconds is 0 to 86400") }
    guard seconds == nil || searchTimeout == nil else {
      throw ValidationError("--search-timeout is --seconds: give one")
    }
  }
}
