/// SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed function of short inputs whose outputs look random.
enum SipHash {
  /// The hash of at most seven bytes, the low ones of `message`: one block.
  static func hash(_ message: UInt64, byteCount: Int, key: (UInt64, UInt64)) -> UInt64 {
    var state = State(key: key)
    state.absorb(message & 0x00FF_FFFF_FFFF_FFFF | UInt64(byteCount) << 56)
    return state.finish()
  }

  private struct State {
    var v0, v1, v2, v3: UInt64

    init(key: (UInt64, UInt64)) {
      v0 = key.0 ^ 0x736F_6D65_7073_6575
      v1 = key.1 ^ 0x646F_7261_6E64_6F6D
      v2 = key.0 ^ 0x6C79_6765_6E65_7261
      v3 = key.1 ^ 0x7465_6462_7974_6573
    }

    mutating func absorb(_ block: UInt64) {
      v3 ^= block
      round()
      round()
      v0 ^= block
    }

    mutating func finish() -> UInt64 {
      v2 ^= 0xFF
      for _ in 0..<4 { round() }
      return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func round() {
      v0 &+= v1
      v1 = rotate(v1, 13) ^ v0
      v0 = rotate(v0, 32)
      v2 &+= v3
      v3 = rotate(v3, 16) ^ v2
      v0 &+= v3
      v3 = rotate(v3, 21) ^ v0
      v2 &+= v1
      v1 = rotate(v1, 17) ^ v2
      v2 = rotate(v2, 32)
    }

    private func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 { value << count | value >> (64 - count) }
  }
}
