import LatchkeyByteCoding

/// The app's exponent, a + u · x, as a whole number: the order of the group has no part in SRP.
enum ExponentArithmetic {
  /// `a` + `u` · `x` for 32, 64 and 64 bytes, most significant first: 128 bytes, which always hold it.
  static func sum(_ a: SecretBytes, _ u: SecretBytes, times x: SecretBytes) -> SecretBytes {
    var first = limbs(u)
    var second = limbs(x)
    var total = limbs(a) + [UInt64](repeating: 0, count: 16 - a.count / 8)
    defer {
      first.wipe()
      second.wipe()
      total.wipe()
    }
    for i in first.indices {
      var carry: UInt64 = 0
      for j in second.indices { total[i + j] = multiplyAdd(first[i], second[j], total[i + j], &carry) }
      // What the next limbs hold of `a` may pass the carry on.
      for k in i + second.count..<total.count {
        var next: UInt64 = 0
        total[k] = add(total[k], carry, &next)
        carry = next
      }
    }
    return SecretBytes(count: 128) { bytes in
      for index in 0..<128 {
        bytes[127 - index] = UInt8(truncatingIfNeeded: total[index / 8] &>> UInt64(truncatingIfNeeded: 8 * (index % 8)))
      }
    }
  }

  /// Least significant first.
  private static func limbs(_ bytes: SecretBytes) -> [UInt64] {
    (0..<bytes.count / 8).map { limb in
      (0..<8).reduce(0) { $0 | UInt64(bytes[bytes.count - 1 - 8 * limb - $1]) &<< UInt64(truncatingIfNeeded: 8 * $1) }
    }
  }
}
