import Crypto

/// HMAC-SHA256 under one key, whose two keyed blocks are computed once.
struct PreparedMAC: Sendable {
  private let keyed: HMAC<SHA256>

  init(_ key: SymmetricKey) { keyed = HMAC<SHA256>(key: key) }

  /// The whole code of `message`: 32 bytes.
  func code(_ message: [UInt8]) -> [UInt8] {
    var running = keyed
    running.update(data: message)
    return running.finalize().withUnsafeBytes { [UInt8]($0) }
  }

  /// The whole code of bytes in memory.
  func code(of message: UnsafeRawBufferPointer) -> HMAC<SHA256>.MAC {
    var running = keyed
    running.update(data: message)
    return running.finalize()
  }

  /// The first 16 bytes of the code of `message`.
  func tag(_ message: [UInt8]) -> [UInt8] {
    var running = keyed
    running.update(data: message)
    return running.finalize().withUnsafeBytes { [UInt8]($0.prefix(AttributeTag.size)) }
  }
}
