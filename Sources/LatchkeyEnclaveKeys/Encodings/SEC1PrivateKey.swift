import LatchkeyByteCoding

/// ECPrivateKey (SEC 1 C.4, RFC 5915): the scalar, and optionally the curve and the point.
enum SEC1PrivateKey {
  /// Parses the key. `known` is the curve that the enclosing structure names; the key must not contradict it.
  ///
  /// - Throws: `.malformed`, also for a point that does not match; `.unsupported` for other curves.
  static func decode(_ bytes: [UInt8], on known: Curve? = nil) throws(KeyError) -> PrivateKey {
    var whole = KeyReader(bytes)
    var parts = try whole.item(.sequence, "an ECPrivateKey")
    try whole.finish("an ECPrivateKey")
    guard try parts.unsignedInteger("the version of an ECPrivateKey").bytes() == [1] else {
      throw .malformed("an ECPrivateKey has version 1")
    }
    var scalar = try parts.bytes(.octetString, "a scalar")
    defer { scalar.wipe() }
    var curve = known
    if parts.comes(.context0) {
      var parameters = try parts.item(.context0, "the curve")
      guard parameters.comes(.objectIdentifier) else {
        throw .unsupported("a curve without a name: write the key with a named curve")
      }
      let named = try Curve(&parameters)
      try parameters.finish("the curve")
      guard known == nil || known == named else { throw .malformed("the key names two curves") }
      curve = named
    }
    var point: [UInt8]?
    if parts.comes(.context1) {
      var wrapped = try parts.item(.context1, "the point")
      point = try wrapped.wholeBitString("the point").bytes()
      try wrapped.finish("the point")
    }
    try parts.finish("an ECPrivateKey")
    guard let curve else { throw .malformed("the key names no curve") }
    return try PrivateKey(scalar: scalar, on: curve, publicPoint: point)
  }
}

extension PrivateKey {
  /// As ``init(scalar:on:point:)``, for a point that may be compressed.
  convenience init(scalar: [UInt8], on curve: Curve, publicPoint: [UInt8]?) throws(KeyError) {
    let point = try publicPoint.map { point throws(KeyError) in
      try PublicKey(point: point, on: curve).externalRepresentation
    }
    try self.init(scalar: scalar, on: curve, point: point)
  }
}
