internal import LatchkeyByteCoding

/// The envelope of the old service in `Examples/002-sealed-transfer`, byte for byte: `{"iv","mac","payload"}`.
///
/// It exists for old clients and is off by default: its MAC covers four fields without separators, it is decrypted before it is
/// verified, and nothing in it prevents replay (`LegacyEnvelope.md`).
public enum LegacyEnvelope {
  /// The maximum size of a body in bytes.
  public static let sizeLimit = 64 * 1024

  /// Draws random bytes for a vector, as the old client does: a length of 0 means AES's block, 16.
  ///
  /// - Parameter random: returns the given count of random bytes; nil on failure, which fails the request.
  public static func initializationVector(
    ofLength length: Int = 0, random: (Int) -> [UInt8]?
  ) throws(SealedMessageError) -> [UInt8] {
    let count = length == 0 ? 16 : length
    guard (1...1024).contains(count) else { throw .misuse("ask for a vector of at most 1024 bytes") }
    guard let bytes = random(count), bytes.count == count else {
      throw .misuse("the random source failed: send nothing, and try again later")
    }
    return bytes
  }

  /// Seals a request: base64 of a 16-byte vector, AES-256-CBC of the JSON, HMAC over to, from, amount and date.
  ///
  /// - Parameters:
  ///   - token: the session's token, if the signing option puts it into the payload.
  ///   - random: returns the given count of random bytes; nil on failure, which fails the request.
  /// - Returns: the JSON body.
  public static func seal(
    _ transfer: LegacyTransfer, keys: LegacyEnvelopeKeys, token: String? = nil, random: (Int) -> [UInt8]?
  ) throws(SealedMessageError) -> [UInt8] {
    let iv = try initializationVector(random: random)
    return try body(
      iv: Base64.encode(iv), mac: keys.code(of: transfer.authenticated),
      ciphertext: keys.encrypt(transfer.plaintext, iv: iv), token: token)
  }

  /// Opens a request's body. Every failure past the size is `.notAuthentic`.
  public static func openTransfer(_ body: [UInt8], keys: LegacyEnvelopeKeys) throws(SealedMessageError) -> Opened {
    let parts = try Parts(body)
    // An undecryptable or unreadable body is still verified, over nothing, so that all failures take about the same time.
    let iv = parts.iv.flatMap { try? Base64.decode($0) } ?? []
    let plaintext = keys.decrypt(parts.ciphertext ?? [], iv: iv)
    let transfer = plaintext.flatMap(LegacyTransfer.init(plaintext:))
    let isRight = keys.isCode(parts.mac ?? [], of: transfer?.authenticated ?? [])
    guard let transfer, let mac = parts.mac, let ciphertext = parts.ciphertext, isRight else { throw .notAuthentic }
    return Opened(transfer: transfer, iv: iv, mac: mac, ciphertext: ciphertext, token: parts.token)
  }

  /// An opened request, with the values that detect a replay.
  public struct Opened: Sendable, Hashable {
    /// The requested transfer.
    public var transfer: LegacyTransfer
    /// The vector, 16 bytes.
    public var iv: [UInt8]
    /// The MAC, 32 bytes.
    public var mac: [UInt8]
    /// The ciphertext. It differs between any two requests, since a fresh vector changes all of it.
    public var ciphertext: [UInt8]
    /// The session's token, if it is in the payload, where nothing authenticates it. A secret.
    public var token: String?
  }

  /// The JSON of an envelope.
  static func body(
    iv: String, mac: [UInt8], ciphertext: [UInt8]?, token: String? = nil
  ) throws(SealedMessageError) -> [UInt8] {
    guard let ciphertext else { throw .misuse("give a vector of 16 bytes") }
    let body = LegacyJSON.object(
      [("iv", iv), ("mac", Hexadecimal.encode(mac)), ("payload", Base64.encode(ciphertext))]
        + (token.map { [("token", $0)] } ?? []))
    guard body.count <= sizeLimit else { throw .misuse("send less: the envelope has more than \(sizeLimit) bytes") }
    return body
  }

  /// An envelope's members, each nil if absent or malformed.
  struct Parts {
    var iv: String?
    var mac: [UInt8]?
    var ciphertext: [UInt8]?
    var token: String?

    init(_ body: [UInt8]) throws(SealedMessageError) {
      guard body.count <= sizeLimit else { throw .malformed("envelope: more than \(sizeLimit) bytes") }
      guard let members = LegacyJSON.read(body)?.object else { return }
      iv = members["iv"]?.string
      ciphertext = members["payload"]?.string.flatMap { try? Base64.decode($0) }
      token = members["token"]?.string
      // 64 lowercase digits, as the old client writes them: each MAC has one text.
      if let text = members["mac"]?.string, text.utf8.count == 64, let code = try? Hexadecimal.decode(text),
        Hexadecimal.encode(code) == text
      {
        mac = code
      }
    }
  }
}
