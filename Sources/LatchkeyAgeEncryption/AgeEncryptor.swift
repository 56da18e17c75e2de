import Crypto

/// The target of an age file's encryption: recipients, or a single passphrase.
public enum AgeLock: Sendable {
  /// X25519 recipients, at least one.
  case recipients([AgeRecipient])
  /// A passphrase, its UTF-8 bytes. scrypt runs with N = 2 to the power of `workFactor`, r = 8, p = 1: 18 takes 256 MiB and
  /// about a second.
  case passphrase([UInt8], workFactor: Int = 18)
}

/// Encrypts an age file as a stream: ``header`` first, then the output of ``update(_:)``, then that of ``finish()``.
public struct AgeEncryptor: Sendable {
  /// The beginning of the file.
  public let header: [UInt8]
  private var payload: AgePayload
  private var waiting: [UInt8] = []

  /// - Parameters:
  ///   - lock: The recipients or the passphrase.
  ///   - random: Returns the given count of bytes from the system's generator.
  /// - Throws: ``AgeError/recipients``, ``AgeError/malformedRecipient``, ``AgeError/outOfMemory(workFactor:)``,
  ///   ``AgeError/workFactor(found:maximum:)``.
  public init(for lock: AgeLock, random: (Int) -> [UInt8]) throws(AgeError) {
    let fileKey = SymmetricKey(data: random(16))
    var stanzas: [AgeStanza] = []
    switch lock {
    case .recipients(let recipients):
      guard !recipients.isEmpty else { throw .recipients }
      for recipient in recipients {
        guard let ephemeral = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: random(32)) else {
          throw .malformedRecipient
        }
        stanzas.append(try X25519Wrapping.wrap(fileKey, for: recipient, ephemeral: ephemeral))
      }
    case .passphrase(let passphrase, let workFactor):
      guard (1...AgeDecryptor.maximumWorkFactor).contains(workFactor) else {
        throw .workFactor(found: workFactor, maximum: AgeDecryptor.maximumWorkFactor)
      }
      stanzas.append(
        try ScryptWrapping.wrap(fileKey, passphrase: passphrase, salt: random(16), workFactor: workFactor))
    }
    let nonce = random(AgePayload.nonceSize)
    header = AgeHeader(stanzas: stanzas, fileKey: fileKey).bytes + nonce
    payload = AgePayload(fileKey: fileKey, nonce: nonce)
  }

  /// Processes more plaintext, and returns the encrypted bytes.
  public mutating func update(_ bytes: some Collection<UInt8>) -> [UInt8] {
    waiting += bytes
    var ready: [UInt8] = []
    var start = 0
    // A full chunk is the last one if nothing follows, so it is held back until more arrives.
    while waiting.count - start > AgePayload.chunkSize {
      ready += payload.seal(waiting[start..<(start + AgePayload.chunkSize)], isLast: false)
      start += AgePayload.chunkSize
    }
    waiting.removeFirst(start)
    return ready
  }

  /// Returns the end of the file.
  public consuming func finish() -> [UInt8] { payload.seal(waiting, isLast: true) }

  /// Encrypts a whole file at once.
  public static func encrypt(
    _ bytes: [UInt8], for lock: AgeLock, random: (Int) -> [UInt8]
  ) throws(AgeError) -> [UInt8] {
    var encryptor = try AgeEncryptor(for: lock, random: random)
    var file = encryptor.header
    file += encryptor.update(bytes)
    return file + encryptor.finish()
  }
}
