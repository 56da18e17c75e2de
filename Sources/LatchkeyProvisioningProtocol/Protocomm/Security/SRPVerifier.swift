package import LatchkeyByteCoding

/// What a device keeps for Security 2: a salt and the verifier of its code. Who steals them can try codes at leisure, and does not
/// have the code; but they act as the device to an app.
package struct SRPVerifier: Sendable {
  /// Why a salt and a verifier cannot be used.
  package enum Failure: Error, Hashable, Sendable {
    /// A salt has 1 to 64 bytes, a user name likewise.
    case length
    /// A verifier is a number from 1 to N - 1, of at most 384 bytes.
    case verifier
  }

  /// Bytes of a salt that is drawn.
  private static let saltLength = 16
  static let lengths = 1...64

  /// The user name, `wifiprov` by custom.
  let username: [UInt8]
  package let salt: [UInt8]
  let verifier: Residue
  /// The verifier to the power of u, which has 64 bytes.
  let powers: FixedBase

  /// As it was made and kept.
  package init(
    username: String = ProtocommDefaults.username, salt: [UInt8], verifier: [UInt8]
  ) throws(Failure) {
    let significant = Array(verifier.drop { $0 == 0 })
    guard significant.count <= SRPGroup.byteCount else { throw .verifier }
    guard significant.count < SRPGroup.byteCount || significant.lexicographicallyPrecedes(SRPGroup.modulusBytes),
      let residue = Residue(bigEndian: significant), !residue.isZero
    else { throw .verifier }
    try self.init(Array(username.utf8), salt, residue)
  }

  /// Of a code, with this salt.
  package init(
    username: String = ProtocommDefaults.username, code: SecretBytes, salt: [UInt8]
  ) throws(Failure) {
    let username = Array(username.utf8)
    try self.init(
      username, salt, SRPGroup.longPowers.power(SRPHash.privateExponent(username, code, salt: salt)))
  }

  /// Of a code, with a salt that is drawn; it does not begin with zero, which clients in the field strip from it.
  package init(
    username: String = ProtocommDefaults.username, code: SecretBytes, random: ProtocommRandom
  ) throws(Failure) {
    var salt = random(Self.saltLength)
    if salt.first == 0 { salt[0] = 1 }
    try self.init(username: username, code: code, salt: salt)
  }

  private init(_ username: [UInt8], _ salt: [UInt8], _ verifier: Residue) throws(Failure) {
    guard Self.lengths.contains(username.count), Self.lengths.contains(salt.count) else { throw .length }
    self.username = username
    self.salt = salt
    self.verifier = verifier
    powers = FixedBase(verifier, exponentByteCount: SRPHash.length)
  }

  /// The verifier's 384 bytes, to be kept.
  package var verifierBytes: SecretBytes { verifier.bytes }

  /// Whether the clients in the field compute the same for this code: those that strip a hash's leading zeros do not for one
  /// code in 256. A device that draws its code draws another one.
  package static func isFitForAllClients(username: String = ProtocommDefaults.username, code: SecretBytes) -> Bool {
    SRPHash.identity(Array(username.utf8), code)[0] != 0
  }
}

/// What Espressif's examples and apps take for granted.
package enum ProtocommDefaults {
  package static let username = "wifiprov"
  /// The service of the examples.
  package static let service = "021A9004-0382-4AEA-BFF4-6B3F1C5ADFB4"
}
