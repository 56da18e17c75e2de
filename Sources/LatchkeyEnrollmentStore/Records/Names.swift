// Bytes that mean something, each a type of its own: a nonce cannot stand where a digest is meant.

/// SHA-256 of a certificate's DER: what a certificate is known by.
public struct Fingerprint: Sendable, Hashable {
  /// The bytes.
  public let bytes: [UInt8]

  /// A fingerprint of these bytes.
  public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
}

/// SHA-256 of what makes a request the same request.
public struct RequestDigest: Sendable, Hashable {
  /// The bytes.
  public let bytes: [UInt8]

  /// A digest of these bytes.
  public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
}

/// SHA-256 of what an approval is about: the transfer's digest.
public struct ApprovedDigest: Sendable, Hashable {
  /// The bytes.
  public let bytes: [UInt8]

  /// A digest of these bytes.
  public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
}

/// What must not come twice from one device while a signature counts.
public struct Nonce: Sendable, Hashable {
  /// The bytes.
  public let bytes: [UInt8]

  /// A nonce of these bytes.
  public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
}
