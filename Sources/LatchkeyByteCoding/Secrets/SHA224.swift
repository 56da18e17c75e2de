/// SHA-224 (FIPS 180-4 6.3), which swift-crypto does not have: SHA-256 from another start, cut to 28 bytes. For messages
/// in memory; several times slower than swift-crypto's SHA-256.
///
/// It lies here, beside what reads and writes bytes, because keys and PKCS #12 files both need it and know nothing else
/// together.
package struct SHA224: Sendable {
  /// Bytes of a digest.
  package static let byteCount = 28

  /// Bytes of a block.
  package static let blockByteCount = 64

  private var state: [UInt32] = [
    0xC105_9ED8, 0x367C_D507, 0x3070_DD17, 0xF70E_5939, 0xFFC0_0B31, 0x6858_1511, 0x64F9_8FA7, 0xBEFA_4FA4,
  ]
  private var block: [UInt8] = []
  private var schedule = [UInt32](repeating: 0, count: 64)
  private var count: UInt64 = 0

  package init() { block.reserveCapacity(Self.blockByteCount) }

  /// Takes more of the message.
  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update(bufferPointer: $0) }
  }

  /// Takes more of the message.
  package mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) {
    count &+= UInt64(bytes.count)
    for byte in bytes { take(byte) }
  }

  /// The digest. The message's bytes are wiped; nothing more may be added.
  package mutating func finalize() -> [UInt8] {
    let bits = count &* 8
    take(0x80)
    while block.count != 56 { take(0) }
    for shift in stride(from: 56, through: 0, by: -8) { take(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    // The last block is removed, but its bytes are still in the array's storage.
    block.append(contentsOf: repeatElement(0, count: Self.blockByteCount))
    block.wipe()
    schedule.wipe()
    return state.prefix(7).flatMap { word in
      (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) }
    }
  }

  private mutating func take(_ byte: UInt8) {
    block.append(byte)
    guard block.count == Self.blockByteCount else { return }
    compress()
    block.removeAll(keepingCapacity: true)
  }

  private mutating func compress() {
    for index in 0..<16 {
      let at = 4 * index
      schedule[index] =
        UInt32(block[at]) << 24 | UInt32(block[at + 1]) << 16 | UInt32(block[at + 2]) << 8 | UInt32(block[at + 3])
    }
    for index in 16..<64 {
      let (early, late) = (schedule[index - 15], schedule[index - 2])
      let first = early.rotated(7) ^ early.rotated(18) ^ early >> 3
      let second = late.rotated(17) ^ late.rotated(19) ^ late >> 10
      schedule[index] = schedule[index - 16] &+ first &+ schedule[index - 7] &+ second
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let sumE = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
      let choice = (e & f) ^ (~e & g)
      let first = h &+ sumE &+ choice &+ Self.constants[index] &+ schedule[index]
      let sumA = a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)
      let majority = (a & b) ^ (a & c) ^ (b & c)
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ sumA &+ majority)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }

  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}

extension UInt32 {
  fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
