import Crypto
import CryptoExtras
package import LatchkeyByteCoding

/// The cryptographic toolbox of the Security Manager (Core 6.0 Vol 3 Part H 2.2).
///
/// All values are in wire order here: little-endian arrays, as PDUs carry them. The specification prints them, and
/// computes AES and AES-CMAC of them, with the most significant byte first; the two private functions at the end convert.
/// Names of parameters are those of the specification. A value of a wrong length, which no PDU carries, throws Unspecified
/// Reason.
package enum PairingCryptography {
  /// The length of a confirm value, a random value and a DHKey Check, in bytes.
  package static let blockSize = 16
  /// The length of a coordinate of P-256 and of the DHKey, in bytes.
  package static let coordinateSize = 32

  /// The confirm value of legacy pairing (2.2.3). `preq` and `pres` are whole PDUs of 7 bytes.
  package static func c1(
    k: SecurityKey, r: [UInt8], preq: [UInt8], pres: [UInt8], initiator: BluetoothAddress, responder: BluetoothAddress
  ) throws(SMPReason) -> [UInt8] {
    let p1 = [initiator.kind.rawValue, responder.kind.rawValue] + preq + pres
    let p2 = responder.wireBytes + initiator.wireBytes + [0, 0, 0, 0]
    let inner = try encrypt(exclusiveOr(r, p1), key: k)
    return try encrypt(exclusiveOr(inner, p2), key: k)
  }

  /// The STK of legacy pairing (2.2.4): `r1` is the responder's random value, `r2` the initiator's.
  package static func s1(
    k: SecurityKey, r1: [UInt8], r2: [UInt8]
  ) throws(SMPReason) -> SecurityKey {
    try key(encrypt(Array(r2.prefix(8) + r1.prefix(8)), key: k))
  }

  /// The confirm value of LE Secure Connections (2.2.6).
  package static func f4(
    u: [UInt8], v: [UInt8], x: [UInt8], z: UInt8
  ) throws(SMPReason) -> [UInt8] {
    var message = Array(u.reversed() + v.reversed() + [z])
    return try cmac(&message, key: key(x))
  }

  /// The MacKey and the LTK of LE Secure Connections (2.2.7). `w` is the DHKey.
  package static func f5(
    w: SecretBytes, n1: [UInt8], n2: [UInt8], a1: BluetoothAddress, a2: BluetoothAddress
  ) throws(SMPReason) -> (macKey: SecurityKey, longTermKey: SecurityKey) {
    let salt: [UInt8] = [
      0xBE, 0x83, 0x60, 0x5A, 0xDB, 0x0B, 0x37, 0x60, 0x38, 0xA5, 0xF5, 0xAA, 0x91, 0x83, 0x88, 0x6C,
    ]
    let keyID: [UInt8] = [0x62, 0x74, 0x6C, 0x65]  // "btle"
    var secret = w.withUnsafeBytes { Array($0.reversed()) }
    let t = try key(cmac(&secret, key: key(salt)))
    func derive(_ counter: UInt8) throws(SMPReason) -> SecurityKey {
      var message = [counter] + keyID + n1.reversed() + n2.reversed()
      message += a1.typedWireBytes.reversed() + a2.typedWireBytes.reversed() + [0x01, 0x00]  // 256 bits
      return try key(cmac(&message, key: t))
    }
    return (try derive(0), try derive(1))
  }

  /// The DHKey Check of LE Secure Connections (2.2.8). `ioCap` are the three bytes from IO Capability to AuthReq.
  package static func f6(
    w: SecurityKey, n1: [UInt8], n2: [UInt8], r: SecurityKey, ioCap: [UInt8], a1: BluetoothAddress, a2: BluetoothAddress
  ) throws(SMPReason) -> [UInt8] {
    var exposed = r.exposedBytes
    defer { exposed.wipe() }
    var message = Array(n1.reversed() + n2.reversed() + exposed.reversed())
    message += ioCap.reversed() + a1.typedWireBytes.reversed() + a2.typedWireBytes.reversed()
    return try cmac(&message, key: w)
  }

  /// The value for numeric comparison, of 32 bits; its six last decimal digits are displayed (2.2.9).
  package static func g2(
    u: [UInt8], v: [UInt8], x: [UInt8], y: [UInt8]
  ) throws(SMPReason) -> UInt32 {
    var message = Array(u.reversed() + v.reversed() + y.reversed())
    let value = try cmac(&message, key: key(x))
    return value.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Derives a key from another one; `keyID` has 4 bytes (2.2.10).
  package static func h6(w: SecurityKey, keyID: [UInt8]) throws(SMPReason) -> SecurityKey {
    var message = Array(keyID.reversed())
    return try key(cmac(&message, key: w))
  }

  /// Derives an intermediate key; `salt` has 16 bytes (2.2.11).
  package static func h7(salt: [UInt8], w: SecurityKey) throws(SMPReason) -> SecurityKey {
    var message = w.exposedBytes
    message.reverse()
    return try key(cmac(&message, key: key(salt)))
  }

  /// The hash of 24 bits in a resolvable private address, of the IRK and of the 24 bits `prand` (2.2.2).
  package static func ah(k: SecurityKey, prand: UInt32) throws(SMPReason) -> UInt32 {
    try AddressKey(k).ah(prand: prand)
  }

  /// Whether an address is a resolvable private one that was made with the IRK (Vol 3 Part C 10.8.2.3).
  package static func resolves(_ address: BluetoothAddress, with key: SecurityKey) -> Bool {
    AddressKey(key).resolves(address)
  }

  /// The resolvable private address of an IRK and of 24 random bits; nil for such as no address has: the two top bits are
  /// replaced, and the others are neither all zeros nor all ones (Vol 6 Part B 1.3.2.2).
  package static func resolvableAddress(prand: UInt32, with key: SecurityKey) -> BluetoothAddress? {
    let bits = prand & 0x3F_FFFF
    let prand = bits | 0x40_0000
    guard bits != 0, bits != 0x3F_FFFF, let hash = try? ah(k: key, prand: prand) else { return nil }
    return BluetoothAddress(UInt64(prand) << 24 | UInt64(hash), kind: .random)
  }

  /// An IRK that is ready for many addresses.
  package struct AddressKey: Sendable {
    private let key: SymmetricKey

    package init(_ key: SecurityKey) { self.key = key.symmetricKey }

    /// The hash of the 24 bits `prand` (2.2.2).
    func ah(prand: UInt32) throws(SMPReason) -> UInt32 {
      // Most significant byte first, as AES has it.
      var block = [UInt8](repeating: 0, count: blockSize)
      for index in 0..<3 { block[15 - index] = UInt8(truncatingIfNeeded: prand >> (8 * UInt32(index))) }
      do { try AES.permute(&block, key: key) } catch { throw .unspecifiedReason }
      return UInt32(block[15]) | UInt32(block[14]) << 8 | UInt32(block[13]) << 16
    }

    /// Whether an address is a resolvable private one that was made with the key.
    package func resolves(_ address: BluetoothAddress) -> Bool {
      guard address.isResolvable else { return false }
      let hash = UInt32(truncatingIfNeeded: address.value & 0xFF_FFFF)
      return (try? ah(prand: UInt32(truncatingIfNeeded: address.value >> 24))) == hash
    }
  }

  private static func exclusiveOr(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] { zip(a, b).map { $0 ^ $1 } }

  /// A key of bytes that a function has computed, or that came as a nonce.
  private static func key(_ bytes: [UInt8]) throws(SMPReason) -> SecurityKey {
    var bytes = bytes
    guard let key = SecurityKey(consuming: &bytes) else { throw .unspecifiedReason }
    return key
  }

  /// The function e: AES-128 of a block of 16 bytes (2.2.1).
  private static func encrypt(_ block: [UInt8], key: SecurityKey) throws(SMPReason) -> [UInt8] {
    guard block.count == blockSize else { throw .unspecifiedReason }
    var bytes = Array(block.reversed())
    do { try AES.permute(&bytes, key: key.symmetricKey) } catch { throw .unspecifiedReason }
    bytes.reverse()
    return bytes
  }

  /// AES-CMAC (RFC 4493, 2.2.5) of a message that is in the specification's order, and that is wiped.
  private static func cmac(_ message: inout [UInt8], key: SecurityKey) throws(SMPReason) -> [UInt8] {
    defer { message.wipe() }
    do {
      var mac = try AES.CMAC(key: key.symmetricKey)
      message.withUnsafeBytes { mac.update(bufferPointer: $0) }
      return mac.finalize().withUnsafeBytes { Array($0.reversed()) }
    } catch { throw .unspecifiedReason }
  }
}

extension SecurityKey {
  /// The key for swift-crypto, most significant byte first.
  fileprivate var symmetricKey: SymmetricKey {
    var bytes = exposedBytes
    bytes.reverse()
    defer { bytes.wipe() }
    return SymmetricKey(data: bytes)
  }
}

extension BluetoothAddress {
  /// The six bytes in wire order.
  fileprivate var wireBytes: [UInt8] {
    var writer = ByteWriter(capacity: 7)
    encode(into: &writer)
    return writer.bytes
  }

  /// The six bytes and, as the most significant one, the type (Core 6.0 Vol 3 Part H 2.2.7).
  fileprivate var typedWireBytes: [UInt8] { wireBytes + [kind.rawValue] }
}
