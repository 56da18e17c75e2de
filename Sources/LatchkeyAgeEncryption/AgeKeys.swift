public import Crypto

/// A recipient of an age file: an X25519 public key (c2sp.org/age, "The X25519 recipient type").
public struct AgeRecipient: Hashable, Sendable {
  /// The recipient's Curve25519 point, 32 bytes.
  public let publicKey: [UInt8]

  /// Creates a recipient from its point.
  ///
  /// - Throws: ``AgeError/malformedRecipient`` unless it has 32 bytes.
  public init(publicKey: [UInt8]) throws(AgeError) {
    guard publicKey.count == 32 else { throw .malformedRecipient }
    self.publicKey = publicKey
  }

  /// Parses a recipient from its `age1…` text.
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

/// The private key that decrypts an age file for its ``recipient``.
public struct AgeIdentity: Sendable {
  let key: Curve25519.KeyAgreement.PrivateKey

  /// Creates an identity from its private key.
  public init(_ key: Curve25519.KeyAgreement.PrivateKey) { self.key = key }

  /// Parses an identity from its `AGE-SECRET-KEY-1…` text.
  ///
  /// - Throws: ``AgeError/malformedIdentity``.
  public init(_ text: String) throws(AgeError) {
    guard let (part, bytes) = Bech32.decode(text), part == Self.humanReadablePart, bytes.count == 32,
      let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
    else { throw .malformedIdentity }
    self.key = key
  }

  /// Parses the identities of a file of `age-keygen`: one a line; empty lines and those that begin with `#` are ignored.
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

  /// The recipient that this identity decrypts for.
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
