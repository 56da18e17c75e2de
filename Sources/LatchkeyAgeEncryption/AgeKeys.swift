public import Crypto

/// Where an age file is encrypted to: an X25519 key (c2sp.org/age, "The X25519 recipient type").
public struct AgeRecipient: Hashable, Sendable {
  /// The recipient's Curve25519 point, 32 bytes.
  public let publicKey: [UInt8]

  /// The recipient with this point.
  ///
  /// - Throws: ``AgeError/malformedRecipient`` if it is not of 32 bytes.
  public init(publicKey: [UInt8]) throws(AgeError) {
    guard publicKey.count == 32 else { throw .malformedRecipient }
    self.publicKey = publicKey
  }

  /// The recipient that an `age1…` text spells.
  ///
  /// - Throws: ``AgeError/malformedRecipient``.
  public init(_ text: String) throws(AgeError) {
    guard let (part, bytes) = Bech32.decode(text), part == Self.humanReadablePart else { throw .malformedRecipient }
    try self.init(publicKey: bytes)
  }

  /// The recipient as `age1…`.
  public var text: String { Bech32.encode(publicKey, humanReadablePart: Self.humanReadablePart) }

  private static let humanReadablePart = "age"
}

/// What opens an age file that is encrypted for its ``recipient``.
public struct AgeIdentity: Sendable {
  let key: Curve25519.KeyAgreement.PrivateKey

  /// The identity with this private key.
  public init(_ key: Curve25519.KeyAgreement.PrivateKey) { self.key = key }

  /// The identity that an `AGE-SECRET-KEY-1…` text spells.
  ///
  /// - Throws: ``AgeError/malformedIdentity``.
  public init(_ text: String) throws(AgeError) {
    guard let (part, bytes) = Bech32.decode(text), part == Self.humanReadablePart, bytes.count == 32,
      let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
    else { throw .malformedIdentity }
    self.key = key
  }

  /// The identities in a file as `age-keygen` makes it: a line each; empty lines and those with `#` before are passed over.
  ///
  /// - Throws: ``AgeError/malformedIdentity`` if a line is anything else, or there is none.
  public static func file(_ text: String) throws(AgeError) -> [AgeIdentity] {
    var identities: [AgeIdentity] = []
    for line in text.split(whereSeparator: \.isNewline) where !line.allSatisfy(\.isWhitespace) && !line.hasPrefix("#") {
      identities.append(try AgeIdentity(line.trimmingSpaces))
    }
    guard !identities.isEmpty else { throw .malformedIdentity }
    return identities
  }

  /// The identity as `AGE-SECRET-KEY-1…`: a secret.
  public var text: String {
    Bech32.encode([UInt8](key.rawRepresentation), humanReadablePart: Self.humanReadablePart).uppercased()
  }

  /// Whom to encrypt for so that this identity opens it.
  public var recipient: AgeRecipient { AgeRecipient(key.publicKey) }

  private static let humanReadablePart = "age-secret-key-"
}

extension AgeRecipient {
  init(_ key: Curve25519.KeyAgreement.PublicKey) { publicKey = [UInt8](key.rawRepresentation) }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
