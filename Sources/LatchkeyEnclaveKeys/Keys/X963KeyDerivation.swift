import LatchkeyByteCoding

/// The key derivation function of ANSI X9.63 5.6.3, public as SEC 1 3.6.1: digests of secret ‖ counter ‖ shared info.
enum X963KeyDerivation {
  /// The longest key: far more than anybody derives, and little enough to be done at once.
  static let longest = 1 << 20
  /// The longest shared info, which is hashed for each block of the key.
  static let longestInfo = 65_536

  /// `size` bytes from `secret`; the caller's to wipe.
  ///
  /// - Throws: `.invalidInput` for a size that is not 1 to 1,048,576, or for shared info that is longer.
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
    // What is cut off stays in the storage, so it is wiped there.
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
