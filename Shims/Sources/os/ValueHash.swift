internal import Foundation

/// SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF"): values that are masked can be compared, and not guessed
/// without the key. Swift's `Hasher` would do, but its key is known where hashing is made deterministic.
struct ValueHash {
  /// With a key that this run of the program drew.
  static let shared = ValueHash(key: (.random(in: 0 ... .max), .random(in: 0 ... .max)))

  let key: (UInt64, UInt64)

  func text(of value: String) -> String {
    withUnsafeBytes(of: hash(Array(value.utf8)).littleEndian) { Data($0).base64EncodedString() }
  }

  func hash(_ bytes: [UInt8]) -> UInt64 {
    var state = State(key)
    for start in stride(from: 0, through: bytes.count, by: 8) {
      var word: UInt64 = 0
      let end = min(start + 8, bytes.count)
      for index in start..<end { word |= UInt64(bytes[index]) << (8 * UInt64(index - start)) }
      // The last word is short, or empty, and has the length on top.
      if end - start < 8 { word |= UInt64(truncatingIfNeeded: bytes.count) << 56 }
      state.absorb(word)
    }
    return state.finish()
  }

  private struct State {
    var v0, v1, v2, v3: UInt64

    init(_ key: (UInt64, UInt64)) {
      v0 = key.0 ^ 0x736F_6D65_7073_6575
      v1 = key.1 ^ 0x646F_7261_6E64_6F6D
      v2 = key.0 ^ 0x6C79_6765_6E65_7261
      v3 = key.1 ^ 0x7465_6462_7974_6573
    }

    mutating func absorb(_ word: UInt64) {
      v3 ^= word
      round()
      round()
      v0 ^= word
    }

    mutating func finish() -> UInt64 {
      v2 ^= 0xFF
      for _ in 0..<4 { round() }
      return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func round() {
      v0 &+= v1
      v1 = v1.rotated(13) ^ v0
      v0 = v0.rotated(32)
      v2 &+= v3
      v3 = v3.rotated(16) ^ v2
      v0 &+= v3
      v3 = v3.rotated(21) ^ v0
      v2 &+= v1
      v1 = v1.rotated(17) ^ v2
      v2 = v2.rotated(32)
    }
  }
}

extension UInt64 {
  fileprivate func rotated(_ count: UInt64) -> UInt64 { self << count | self >> (64 - count) }
}
