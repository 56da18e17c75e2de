/// What an app wants of advertising, against what it has been told of it.
struct AdvertisingProgress {
  /// What the app sees: advertising began and was not stopped.
  private(set) var isAdvertising = false
  /// Whether the app asked for advertising and has not stopped it.
  private(set) var isWanted = false

  /// The app asks for advertising. False if it did before.
  mutating func start() -> Bool {
    defer { isWanted = true }
    return !isWanted
  }

  mutating func stop() {
    isWanted = false
    isAdvertising = false
  }

  /// The engine began to advertise, or could not.
  mutating func started(_ success: Bool) {
    guard isWanted else { return }
    isAdvertising = success
    isWanted = success
  }
}
