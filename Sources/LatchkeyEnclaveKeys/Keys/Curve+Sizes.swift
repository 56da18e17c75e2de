extension Curve {
  /// The bytes of a coordinate, a scalar, and each half of a signature: 32, 48 or 66.
  public var byteCount: Int { (rawValue + 7) / 8 }

  /// The bytes of a point in X9.63's uncompressed form.
  public var pointByteCount: Int { 1 + 2 * byteCount }

  /// The curve with points of this length; nil if there is none.
  init?(pointByteCount: Int) {
    guard let curve = Curve.allCases.first(where: { $0.pointByteCount == pointByteCount }) else { return nil }
    self = curve
  }
}
