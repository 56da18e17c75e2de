extension Secp192k1 {
  /// A point of the curve. There is no other way to one than validation: both coordinates below p, and on the curve.
  ///
  /// Infinity has no coordinates, and the cofactor is 1, so nothing more needs checking.
  public struct PublicKey: Equatable, Sendable {
    let point: AffinePoint

    /// The key whose bytes are x and y, each most significant byte first.
    ///
    /// - Throws: `Failure.invalidPublicKey`.
    public init(_ bytes: [48 of UInt8]) throws(Failure) {
      try self.init(span: bytes.span)
    }

    /// The key whose 48 bytes are x and y, each most significant byte first.
    ///
    /// - Throws: `Failure.invalidPublicKey`, for any other number of bytes too.
    public init(bytes: [UInt8]) throws(Failure) {
      guard bytes.count == publicKeyLength else { throw .invalidPublicKey }
      try self.init(span: bytes.span)
    }

    /// A point without validation: the result of a multiplication.
    package init(trusted point: AffinePoint) {
      self.point = point
    }

    private init(span: borrowing Span<UInt8>) throws(Failure) {
      let x = UInt192(bigEndian: span, from: 0)
      let y = UInt192(bigEndian: span, from: coordinateLength)
      let bothBelow =
        x.subtracting(FieldElement.modulus).borrowMask & y.subtracting(FieldElement.modulus).borrowMask
      let point = AffinePoint(x: FieldElement(x), y: FieldElement(y))
      guard bothBelow & point.isOnCurveMask == .max else { throw .invalidPublicKey }
      self.point = point
    }

    /// x and y, each most significant byte first.
    public var fixedBytes: [48 of UInt8] {
      var bytes = [48 of UInt8](repeating: 0)
      var span = bytes.mutableSpan
      point.x.limbs.store(bigEndianTo: &span, from: 0)
      point.y.limbs.store(bigEndianTo: &span, from: coordinateLength)
      return bytes
    }

    /// x and y, each most significant byte first: 48 bytes.
    public var bytes: [UInt8] {
      let fixed = fixedBytes
      return Array(unsafeUninitializedCapacity: publicKeyLength) { buffer, count in
        for index in fixed.indices { buffer.initializeElement(at: index, to: fixed[index]) }
        count = publicKeyLength
      }
    }

    /// Whether both are the same point.
    public static func == (a: PublicKey, b: PublicKey) -> Bool {
      (a.point.x - b.point.x).zeroMask & (a.point.y - b.point.y).zeroMask == .max
    }
  }
}

extension AffinePoint {
  /// All ones if y² = x³ + 3, else none.
  var isOnCurveMask: UInt64 {
    (y.squared() - (x.squared() * x + FieldElement(3))).zeroMask
  }
}
