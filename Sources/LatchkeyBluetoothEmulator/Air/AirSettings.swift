/// The path between each two controllers: distance, loss, signal strength. Symmetric.
struct AirSettings: Sendable {
  /// The settings of one pair.
  struct Path: Sendable {
    var rssi: Int8?
    var metres: Double?
    var loss: Double?
  }

  private struct Pair: Hashable {
    let low: ControllerID
    let high: ControllerID

    init(_ a: ControllerID, _ b: ControllerID) {
      (low, high) = a.value < b.value ? (a, b) : (b, a)
    }
  }

  let pathLoss: PathLoss
  let defaultRSSI: Int8
  let defaultLoss: Double
  private var paths: [Pair: Path] = [:]

  init(_ configuration: RadioConfiguration) {
    pathLoss = configuration.pathLoss
    defaultRSSI = configuration.rssi
    defaultLoss = Self.probability(configuration.loss)
  }

  subscript(_ a: ControllerID, _ b: ControllerID) -> Path {
    get { paths.isEmpty ? Path() : paths[Pair(a, b)] ?? Path() }
    set { paths[Pair(a, b)] = newValue }
  }

  /// Removes all settings of a removed controller.
  mutating func forget(_ controller: ControllerID) {
    paths = paths.filter { $0.key.low != controller && $0.key.high != controller }
  }

  /// The signal strength between two controllers, dBm. A set strength overrides a distance.
  func rssi(_ a: ControllerID, _ b: ControllerID) -> Int8 {
    let path = self[a, b]
    if let rssi = path.rssi { return rssi }
    guard let metres = path.metres else { return defaultRSSI }
    // HCI's range is -127...20 dBm (Core 6.0 Vol 4 Part E 7.5.4).
    return Int8(min(20, max(-127, pathLoss.rssi(atMetres: metres).rounded())))
  }

  /// The probability that one transmission is lost: 1 out of range.
  func loss(_ a: ControllerID, _ b: ControllerID) -> Double {
    let path = self[a, b]
    if let metres = path.metres, pathLoss.rssi(atMetres: metres) < pathLoss.sensitivity { return 1 }
    return path.loss ?? defaultLoss
  }

  /// Clamps any number, including NaN, to a probability.
  static func probability(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }
}
