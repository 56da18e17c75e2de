/// The envelope of document 002, byte for byte: `{"iv","mac","payload"}`.
///
/// It is kept for old clients, and off wherever there is a choice: its MAC covers four fields without separators, it is
/// decrypted before it is verified, and nothing in it stops a second use (`DocumentedEnvelope.md`).
public enum DocumentedEnvelope {
  /// Seals a request: base64 of a 16-byte vector, AES-256-CBC of the JSON, HMAC over to, from, amount and date.
  ///
  /// - Parameter random: gives so many random bytes; nil when it fails, which fails the request.
  /// - Returns: the JSON body.
  public static func seal(
    _ transfer: DocumentedTransfer, keys: DocumentedKeys, random: (Int) -> [UInt8]?
  ) throws(SealedMessageError) -> [UInt8] {
    throw .misuse("not there yet")
  }

  /// Opens a request's body. Every failure past the size is `.notAuthentic`.
  public static func openTransfer(_ body: [UInt8], keys: DocumentedKeys) throws(SealedMessageError) -> Opened {
    throw .misuse("not there yet")
  }

  /// A request that was opened, with what a replay is known by.
  public struct Opened: Sendable, Hashable {
    /// What it asks for.
    public var transfer: DocumentedTransfer
    /// The vector, 16 bytes.
    public var iv: [UInt8]
    /// The MAC, 32 bytes.
    public var mac: [UInt8]
  }

  /// Seals a response: 16 characters of 62 as vector, used as they are; HMAC over the whole plaintext.
  public static func sealResponse(
    _ plaintext: [UInt8], keys: DocumentedKeys, random: (Int) -> [UInt8]?
  ) throws(SealedMessageError) -> [UInt8] {
    throw .misuse("not there yet")
  }

  /// Opens a response.
  ///
  /// - Throws: `.malformed` when it cannot be decrypted ("cannot interpret" in the document), `.notAuthentic` when its MAC is
  ///   wrong ("cannot verify"): the reader is the user's own program, which may know.
  public static func openResponse(_ body: [UInt8], keys: DocumentedKeys) throws(SealedMessageError) -> [UInt8] {
    throw .misuse("not there yet")
  }
}
