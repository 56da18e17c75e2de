import LatchkeyByteCoding

/// The key derivation function of ANSI X9.63 5.6.3, public as SEC 1 3.6.1: digests of secret ‖ counter ‖ shared info.
enum X963KeyDerivation {
  /// The maximum length of a key in bytes: above real needs, and low enough to derive at once.
  static let longest = 1 << 20
  /// The maximum length of shared info in bytes; it is hashed for each block of the key.
  static let longestInfo = 65_536

  /// Derives `size` bytes from `secret`. The caller wipes them.
  ///
  /// - Throws: `.invalidInput` for a size outside 1 to 1,048,576, or for longer shared info.
  static func derive(
    _ size: Int, from secret: [UInt8], sharedInfo: [UInt8], by digest: DigestAlgorithm
  ) throws(KeyError) -> [UInt8] {
    try check(size, sharedInfo)
    var key: [UInt8] = []
    key.reserveCapacity(size + digest.byteCount)
    var counter: UInt32 = 1
    while key.count < size {
      let number = (0..<4).map { UInt8(truncatingIfNeeded: counter >> UInt32(24 - 8 * $0)) }
      var block = digest.hash(parts: [secret, number, sharedInfo])
      key.append(contentsOf: block)
      block.wipe()
      counter += 1
    }
    // The truncated bytes stay in the storage, so they are wiped there.
    key.withUnsafeMutableBytes { UnsafeMutableRawBufferPointer(rebasing: $0[size...]).wipe() }
    key.removeLast(key.count - size)
    return key
  }

  /// - Throws: `.invalidInput`, as ``derive(_:from:sharedInfo:by:)``.
  static func check(_ size: Int, _ sharedInfo: [UInt8]) throws(KeyError) {
    guard (1...longest).contains(size) else {
      throw .invalidInput("a derived key has 1 to \(longest) bytes, not \(size)")
    }
    guard sharedInfo.count <= longestInfo else {
      throw .invalidInput("shared info has at most \(longestInfo) bytes, not \(sharedInfo.count)")
    }
  }
}
