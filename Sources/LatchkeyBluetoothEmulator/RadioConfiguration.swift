/// What a radio is like before anything is set between two controllers.
public struct RadioConfiguration: Sendable {
  /// Decides everything that is drawn by chance: two radios of one seed and one history do the same.
  public var seed: UInt64
  /// How long things take on the air.
  public var timing: AirTiming
  /// How probably one transmission is lost, 0...1.
  public var loss: Double
  /// What controllers measure of each other while no distance is set, dBm.
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
