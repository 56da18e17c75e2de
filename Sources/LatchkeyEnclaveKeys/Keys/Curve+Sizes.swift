extension Curve {
  /// How many bytes a coordinate has, and a scalar, and each half of a signature: 32, 48 or 66.
  public var byteCount: Int { (rawValue + 7) / 8 }

  /// How many bytes a point has in X9.63's uncompressed form.
  public var pointByteCount: Int { 1 + 2 * byteCount }

  /// The curve on which points are so long; nil if there is none.
  init?(pointByteCount: Int) {
    guard let curve = Curve.allCases.first(where: { $0.pointByteCount == pointByteCount }) else { return nil }
    self = curve
  }
}
