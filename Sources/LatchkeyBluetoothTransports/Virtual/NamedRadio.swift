import LatchkeyBluetoothEmulator

/// A radio whose controllers have names.
struct NamedRadio: ~Copyable {
  var radio: Radio
  private var controllers: [String: ControllerID] = [:]

  init(configuration: RadioConfiguration) { radio = Radio(configuration: configuration) }

  /// The names in use, sorted.
  var names: [String] { controllers.keys.sorted() }

  /// The controller of that name, if it exists.
  func find(_ name: String) -> ControllerID? { controllers[name] }

  /// The controller of that name, added if it does not exist.
  mutating func controller(_ name: String, _ configuration: ControllerConfiguration) -> ControllerID {
    if let controller = controllers[name] { return controller }
    var configuration = configuration
    configuration.name = name
    let controller = radio.addController(configuration)
    controllers[name] = controller
    return controller
  }

  /// Removes a controller for good; its name is free again.
  mutating func remove(_ name: String, now: Duration) {
    guard let controller = controllers.removeValue(forKey: name) else { return }
    radio.removeController(controller, now: now)
  }
}

extension NamedRadio: TimedMachine {
  var nextDeadline: Duration? { radio.nextDeadline }
  mutating func handleTimeout(now: Duration) { radio.handleTimeout(now: now) }
  mutating func exchangeOutputs(_ list: inout [RadioOutput]) { radio.exchangeOutputs(&list) }
}
