/// The emulator's only random source: Steele, Lea and Flood's SplitMix64. The same seed gives the same run.
///
/// It is not for keys: nothing that the emulator draws is secret.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator whose whole sequence depends on `seed` alone.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// Draws whether an event of this probability happens. 0 never does, 1 always; neither draws a number.
  mutating func happens(_ probability: Double) -> Bool {
    if probability <= 0 { return false }
    if probability >= 1 { return true }
    return Double(next() >> 11) * 0x1p-53 < probability
  }
}
