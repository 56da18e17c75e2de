import LatchkeyByteCoding

extension Secp192k1 {
  /// A secret scalar in 1..<n: erased with the value, never printed.
  public struct PrivateKey: ~Copyable, Sendable {
    private let scalar: SecretScalar

    /// The key with these bytes, most significant first.
    ///
    /// - Throws: `Failure.invalidPrivateKey` for zero, n and what lies above.
    public init(_ bytes: [24 of UInt8]) throws(Failure) {
      try self.init(UInt192(bigEndian: bytes.span, from: 0))
    }

    /// The key with these 24 bytes, most significant first.
    ///
    /// - Throws: `Failure.invalidPrivateKey`, for any other number of bytes too.
    public init(bytes: [UInt8]) throws(Failure) {
      guard bytes.count == coordinateLength else { throw .invalidPrivateKey }
      try self.init(UInt192(bigEndian: bytes.span, from: 0))
    }

    /// A new key from `generator`, which must be fit for secrets, as the system's is.
    ///
    /// - Throws: `Failure.invalidPrivateKey` if the generator yields only numbers out of range, which a working one
    ///   does not do within the life of the universe.
    public init(using generator: inout some RandomNumberGenerator) throws(Failure) {
      var candidate = UInt192.zero
      for _ in 0..<Self.drawLimit {
        candidate = UInt192(generator.next(), generator.next(), generator.next())
        if Scalar.rangeMask(candidate) == .max { break }
      }
      try self.init(candidate)
    }

    private static var drawLimit: Int { 4 }

    private init(_ number: UInt192) throws(Failure) {
      guard Scalar.rangeMask(number) == .max else { throw .invalidPrivateKey }
      scalar = SecretScalar(number)
    }

    /// The public key: this scalar times the base point.
    public var publicKey: PublicKey {
      let product = BasePointMultiplication.multiply(by: scalar)
      defer { eraseStack() }
      return PublicKey(trusted: product.affine)
    }

    /// The secret shared with the owner of `peer`: the x coordinate of this scalar times their point.
    ///
    /// - Throws: `Failure.zeroSharedSecret`, which no valid pair of keys leads to.
    public func sharedSecret(with peer: PublicKey) throws(Failure) -> SharedSecret {
      var product = ScalarMultiplication.multiply(peer.point, by: scalar)
      var x = FieldElement((product.x * product.z.inverted()).canonical)
      defer {
        wipeBits(of: &product)
        wipeBits(of: &x)
        eraseStack()
      }
      guard x.limbs.zeroMask == 0 else { throw .zeroSharedSecret }
      return SharedSecret(x.limbs)
    }

    /// The scalar's bytes, most significant first, out of this type's care.
    public var exposedBytes: [24 of UInt8] { scalar.bigEndianBytes }
  }

  /// The x coordinate of a shared point, leading zeros included: erased with the value, never printed.
  ///
  /// **Unauthenticated**: it is shared with the sender of the public key.
  public struct SharedSecret: ~Copyable, Sendable {
    private let coordinate: SecretScalar

    init(_ coordinate: UInt192) {
      self.coordinate = SecretScalar(coordinate)
    }

    /// The 24 bytes, most significant first, out of this type's care.
    public var exposedBytes: [24 of UInt8] { coordinate.bigEndianBytes }

    /// The result of `body` on the 24 bytes, which are erased thereafter.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      var bytes = coordinate.bigEndianBytes
      defer { wipeBits(of: &bytes) }
      return Swift.withUnsafeBytes(of: &bytes) { body($0) }
    }
  }
}

extension SecretScalar {
  fileprivate var bigEndianBytes: [24 of UInt8] {
    var bytes = [24 of UInt8](repeating: 0)
    var span = bytes.mutableSpan
    value.store(bigEndianTo: &span, from: 0)
    return bytes
  }
}
