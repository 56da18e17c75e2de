import LatchkeyByteCoding

/// The cleartext, authenticated header of a secret sealed by ``ConstraintSealer``.
///
/// `UInt8` version 1; `UInt8` of bits (1: the passcode opens it, 2: an application password); `UInt32` epoch of the class's
/// keys; for the passcode 32 bytes, the public half of the presence key, and 32 bytes, the ephemeral public key; for the
/// password ``ScryptParameters``. Least significant byte first.
///
/// Version 2 marks a secret that was carried over to new keys of its class without being opened, since opening takes a
/// password: its outer layer is new, and the outer layer's content begins with a ``CarriedOrigin``.
struct ConstraintHeader: Hashable, Sendable {
  /// The keys to which a secret is sealed.
  struct Recipient: Hashable, Sendable {
    /// The public half of the presence key.
    var presenceKey: [UInt8]
    /// The public half of the key pair that was generated for this secret.
    var ephemeralKey: [UInt8]
  }

  var epoch: UInt32
  /// Whether only the outer layer was sealed again when the keys changed.
  var isCarried = false
  var recipient: Recipient?
  var password: ScryptParameters?

  private static let version: UInt8 = 1
  private static let carriedVersion: UInt8 = 2
  private static let keySize = 32
  private static let passwordSize = 45

  func encode() -> [UInt8] {
    var writer = ByteWriter(capacity: 6 + 2 * Self.keySize + Self.passwordSize)
    writer.uint8(isCarried ? Self.carriedVersion : Self.version)
    writer.uint8((recipient == nil ? 0 : 1) | (password == nil ? 0 : 2))
    writer.uint32(epoch)
    if let recipient {
      writer.append(recipient.presenceKey)
      writer.append(recipient.ephemeralKey)
    }
    if let password { writer.append(password.encoded) }
    return writer.bytes
  }

  /// Decodes the header at the start of `sealed`, and returns the remaining bytes with it.
  ///
  /// - Parameter minimumRounds: the lowest scrypt cost that is accepted for a password.
  /// - Throws: `ByteCodingError` for anything that ``encode()`` does not produce.
  static func decode(
    _ sealed: [UInt8], minimumRounds: Int = ScryptParameters.least
  ) throws(ByteCodingError) -> (header: ConstraintHeader, rest: ArraySlice<UInt8>) {
    var reader = ByteReader(sealed)
    let version = try reader.uint8("version of a sealed secret")
    guard version == Self.version || version == carriedVersion else {
      throw .invalidValue(field: "version of a sealed secret")
    }
    let bits = try reader.uint8("kinds of a sealed secret")
    guard bits & ~3 == 0 else { throw .invalidValue(field: "kinds of a sealed secret") }
    var header = ConstraintHeader(
      epoch: try reader.uint32("epoch of a sealed secret"), isCarried: version == carriedVersion)
    if bits & 1 != 0 {
      header.recipient = Recipient(
        presenceKey: try reader.bytes(keySize, "presence key of a sealed secret"),
        ephemeralKey: try reader.bytes(keySize, "ephemeral key of a sealed secret"))
    }
    if bits & 2 != 0 {
      header.password = try ScryptParameters(
        encoded: try reader.bytes(passwordSize, "password parameters of a sealed secret"), minimumRounds: minimumRounds)
    }
    guard !header.isCarried || header.password != nil else { throw .invalidValue(field: "kinds of a sealed secret") }
    return (header, sealed.suffix(reader.remaining))
  }
}
