import Crypto

/// The secret that decrypts an age file: identities, or a passphrase.
public enum AgeUnlock: Sendable {
  /// X25519 identities; one match suffices.
  case identities([AgeIdentity])
  /// The passphrase, its UTF-8 bytes.
  case passphrase([UInt8])
}

/// Decrypts an age file as a stream, in pieces of any size.
///
/// Each returned chunk is authentic. Truncation of the file is detected only by ``finish()``: act on the whole only after it
/// returns, or be able to undo.
public struct AgeDecryptor: Sendable {
  /// The maximum accepted work factor of a passphrase: scrypt then uses 1 GiB.
  public static let maximumWorkFactor = 20

  private let unlock: AgeUnlock
  private var state = State.header
  private var waiting: [UInt8] = []

  private enum State: Sendable {
    case header
    case nonce(SymmetricKey)
    case payload(AgePayload)
  }

  /// Creates a decryptor for one file.
  public init(_ unlock: AgeUnlock) { self.unlock = unlock }

  /// Processes more of the file, and returns the decrypted plaintext.
  ///
  /// - Throws: ``AgeError``; the decryptor must not be used after that.
  public mutating func update(_ bytes: some Collection<UInt8>) throws(AgeError) -> [UInt8] {
    waiting += bytes
    if case .header = state {
      guard AgeHeader.mayBegin(with: waiting) else { throw Self.strangeBeginning(waiting) }
      guard let size = AgeHeader.size(in: waiting) else {
        guard waiting.count <= AgeHeader.maximumSize else { throw .malformedHeader("it is too long") }
        return []
      }
      guard size <= AgeHeader.maximumSize else { throw .malformedHeader("it is too long") }
      state = .nonce(try fileKey(AgeHeader(Array(waiting.prefix(size)))))
      waiting.removeFirst(size)
    }
    if case .nonce(let fileKey) = state {
      guard waiting.count >= AgePayload.nonceSize else { return [] }
      state = .payload(AgePayload(fileKey: fileKey, nonce: Array(waiting.prefix(AgePayload.nonceSize))))
      waiting.removeFirst(AgePayload.nonceSize)
    }
    guard case .payload(var payload) = state else { return [] }
    var clear: [UInt8] = []
    var start = 0
    let sealedSize = AgePayload.chunkSize + AgePayload.tagSize
    while waiting.count - start > sealedSize {
      guard let chunk = payload.open(waiting[start..<(start + sealedSize)], isLast: false) else {
        throw .malformedPayload("chunk \(payload.counter) does not open")
      }
      clear += chunk
      start += sealedSize
    }
    waiting.removeFirst(start)
    state = .payload(payload)
    return clear
  }

  /// Returns the last of the plaintext. If it returns, the file was complete.
  public consuming func finish() throws(AgeError) -> [UInt8] {
    switch state {
    case .header: throw waiting.isEmpty ? .notAnAgeFile : .malformedHeader("it has no end")
    case .nonce: throw .malformedHeader("the file ends after its header")
    case .payload(var payload):
      let isFirst = payload.counter == 0
      guard let chunk = payload.open(waiting[...], isLast: true) else {
        throw .malformedPayload("its last chunk does not open: the end may be missing")
      }
      guard isFirst || !chunk.isEmpty else { throw .malformedPayload("its last chunk is empty") }
      return chunk
    }
  }

  /// Decrypts a whole file at once, armored or not.
  public static func decrypt(_ file: [UInt8], _ unlock: AgeUnlock) throws(AgeError) -> [UInt8] {
    var decryptor = AgeDecryptor(unlock)
    var clear = try decryptor.update(AgeArmor.isArmored(file) ? try AgeArmor.decode(file) : file)
    clear += try decryptor.finish()
    return clear
  }

  /// Whether these bytes, of which the beginning suffices, are an age file, armored or not.
  public static func isAgeFile(_ bytes: [UInt8]) -> Bool {
    AgeArmor.isArmored(bytes) || bytes.starts(with: "age-encryption.org/".utf8)
  }

  /// Whether an age file requires a passphrase rather than an identity.
  ///
  /// - Throws: ``AgeError``; `file` may be truncated after its header.
  public static func wantsPassphrase(_ file: [UInt8]) throws(AgeError) -> Bool {
    let bytes = AgeArmor.isArmored(file) ? try AgeArmor.decode(file) : file
    guard AgeHeader.mayBegin(with: bytes) else { throw strangeBeginning(bytes) }
    guard let size = AgeHeader.size(in: bytes), size <= AgeHeader.maximumSize else {
      throw .malformedHeader("it has no end")
    }
    return try AgeHeader(Array(bytes.prefix(size))).stanzas.contains { $0.arguments[0] == ScryptWrapping.type }
  }

  private static func strangeBeginning(_ bytes: [UInt8]) -> AgeError {
    bytes.starts(with: "age-encryption.org/".utf8) ? .malformedHeader("its version is not v1") : .notAnAgeFile
  }

  private func fileKey(_ header: AgeHeader) throws(AgeError) -> SymmetricKey {
    let isByPassphrase = header.stanzas.contains { $0.arguments[0] == ScryptWrapping.type }
    guard !isByPassphrase || header.stanzas.count == 1 else {
      throw .malformedHeader("a scrypt stanza stands beside others")
    }
    guard let key = try opened(header) else { throw .noMatch }
    guard header.isAuthentic(by: key) else { throw .headerNotAuthentic }
    return key
  }

  private func opened(_ header: AgeHeader) throws(AgeError) -> SymmetricKey? {
    for stanza in header.stanzas {
      switch (unlock, stanza.arguments[0]) {
      case (.identities(let identities), X25519Wrapping.type):
        for identity in identities {
          if let key = try X25519Wrapping.unwrap(stanza, by: identity) { return key }
        }
      case (.passphrase(let passphrase), ScryptWrapping.type):
        return try ScryptWrapping.unwrap(
          stanza, passphrase: passphrase, maximumWorkFactor: Self.maximumWorkFactor)
      default: continue
      }
    }
    return nil
  }
}
