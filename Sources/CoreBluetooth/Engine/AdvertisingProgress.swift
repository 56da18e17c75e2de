import LatchkeyBluetoothHost

/// The advertising that an app wants, compared with the events that it received.
struct AdvertisingProgress {
  /// The state in the app's view: advertising started and was not stopped.
  private(set) var isAdvertising = false
  /// The advertising that the app requested and has not stopped.
  private(set) var wanted: AdvertisingParameters?
  /// Whether the radio interrupted it, and the app has not requested it again since.
  private var wasInterrupted = false
  /// Whether the app waits for the result of its call.
  private var isAwaited = false

  /// Whether the app requested advertising and has not stopped it.
  var isWanted: Bool { wanted != nil }

  /// Handles the app's call to start. Returns false if advertising was started before; after an interruption it may be
  /// started again, since many apps do so whenever the radio is on.
  mutating func start(_ parameters: AdvertisingParameters) -> Bool {
    guard wanted == nil || wasInterrupted else { return false }
    wanted = parameters
    wasInterrupted = false
    isAwaited = true
    return true
  }

  /// Restores the advertising of an earlier process, which resumes when the radio is on.
  mutating func restore(_ parameters: AdvertisingParameters) {
    wanted = parameters
    wasInterrupted = true
  }

  mutating func stop() { self = AdvertisingProgress() }

  /// Handles the radio's switching off.
  mutating func pause() {
    isAdvertising = false
    wasInterrupted = isWanted
    isAwaited = false
  }

  /// Handles the radio's switching on. Returns the advertising to resume.
  mutating func resume() -> AdvertisingParameters? {
    guard wasInterrupted, let wanted else { return nil }
    isAdvertising = true
    return wanted
  }

  /// Handles the engine's result. Returns true if the app waits for it.
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
