/// The properties of a radio before any are set between two controllers.
public struct RadioConfiguration: Sendable {
  /// Decides everything random: two radios with the same seed and inputs behave identically.
  public var seed: UInt64
  /// The durations on the air.
  public var timing: AirTiming
  /// The probability that one transmission is lost, 0...1.
  public var loss: Double
  /// The signal strength between controllers while no distance is set, dBm.
  public var rssi: Int8
  /// How a signal fades where a distance is set.
  public var pathLoss: PathLoss

  /// A radio; by default nothing is lost and nothing takes time.
  public init(
    seed: UInt64 = 1, timing: AirTiming = .instant, loss: Double = 0, rssi: Int8 = -50,
    pathLoss: PathLoss = PathLoss()
  ) {
    self.seed = seed
    self.timing = timing
    self.loss = loss
    self.rssi = rssi
    self.pathLoss = pathLoss
  }
}
