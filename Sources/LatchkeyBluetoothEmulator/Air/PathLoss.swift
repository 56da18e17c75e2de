/// The fading of a signal with distance: the log-distance model.
///
/// RSSI = `rssiAtOneMetre` - 10 · `exponent` · log10(meters); a receiver hears nothing below `sensitivity`.
public struct PathLoss: Sendable, Hashable {
  /// The signal strength at one meter, dBm.
  public var rssiAtOneMetre: Double
  /// 2 in free space; 2.5 to 4 between walls.
  public var exponent: Double
  /// The weakest signal that a receiver can receive, dBm.
  public var sensitivity: Double

  /// A path-loss model; the defaults are those of a small device in free space, which reaches about 100 m.
  public init(rssiAtOneMetre: Double = -55, exponent: Double = 2, sensitivity: Double = -95) {
    self.rssiAtOneMetre = rssiAtOneMetre
    self.exponent = exponent
    self.sensitivity = sensitivity
  }

  /// The signal strength at this distance in dBm. A shorter distance than a centimeter counts as a centimeter.
  func rssi(atMetres metres: Double) -> Double {
    guard metres.isFinite else { return -.infinity }
    return rssiAtOneMetre - 10 * exponent * log10(max(metres, 0.01))
  }

  /// The decimal logarithm of a positive finite number, to some 1e-9: the standard library has none.
  private func log10(_ value: Double) -> Double {
    // ln(m) = 2 artanh(y) with y = (m - 1) / (m + 1), which is at most 1/3 for a significand m in 1..<2.
    let ratio = (value.significand - 1) / (value.significand + 1)
    var power = ratio
    var sum = 0.0
    for divisor in stride(from: 1.0, through: 17.0, by: 2.0) {
      sum += power / divisor
      power *= ratio * ratio
    }
    let naturalLogarithmOfTwo = 0.693_147_180_559_945_3
    let naturalLogarithmOfTen = 2.302_585_092_994_045_7
    return (Double(value.exponent) * naturalLogarithmOfTwo + 2 * sum) / naturalLogarithmOfTen
  }
}
