import LatchkeyBluetoothHost

/// What an app wants of advertising, against what it has been told of it.
struct AdvertisingProgress {
  /// What the app sees: advertising began and was not stopped.
  private(set) var isAdvertising = false
  /// What the app asked to have advertised and has not stopped.
  private(set) var wanted: AdvertisingParameters?
  /// Whether the radio interrupted it, and the app has not asked for it again since.
  private var wasInterrupted = false
  /// Whether the app waits to hear how its call went.
  private var isAwaited = false

  /// Whether the app asked for advertising and has not stopped it.
  var isWanted: Bool { wanted != nil }

  /// The app asks for advertising. False if it did before; after an interruption it may, since many do so whenever the
  /// radio is on.
  mutating func start(_ parameters: AdvertisingParameters) -> Bool {
    guard wanted == nil || wasInterrupted else { return false }
    wanted = parameters
    wasInterrupted = false
    isAwaited = true
    return true
  }

  mutating func stop() { self = AdvertisingProgress() }

  /// The radio is off.
  mutating func pause() {
    isAdvertising = false
    wasInterrupted = isWanted
    isAwaited = false
  }

  /// The radio is on: what is to be advertised again by itself.
  mutating func resume() -> AdvertisingParameters? {
    guard wasInterrupted, let wanted else { return nil }
    isAdvertising = true
    return wanted
  }

  /// The engine began to advertise, or could not. True if the app waits to hear so.
  mutating func started(_ success: Bool) -> Bool {
    guard isWanted else { return false }
    let wasAwaited = isAwaited
    if success {
      isAdvertising = true
      isAwaited = false
    } else {
      stop()
    }
    return wasAwaited
  }
}
