import Crypto
import LatchkeyByteCoding

/// The hashes of Security 2's SRP-6a, all SHA-512 (RFC 5054 2.5 and 2.6, and Espressif's own M1).
enum SRPHash {
  static let length = 64

  /// k = H(N ‖ PAD(g)).
  static let multiplier: Residue = {
    guard let k = Residue(bigEndian: hash([.bytes(SRPGroup.modulusBytes), .bytes(paddedGenerator)]).array()) else {
      return .one
    }
    return k
  }()

  /// H(N) xor H(PAD(g)).
  private static let group: [UInt8] = zip(
    hash([.bytes(SRPGroup.modulusBytes)]).array(), hash([.bytes(paddedGenerator)]).array()
  ).map { $0 ^ $1 }

  private static let paddedGenerator: [UInt8] = [UInt8](repeating: 0, count: SRPGroup.byteCount - 1) + [5]

  /// H(I ‖ ":" ‖ P).
  static func identity(_ username: [UInt8], _ code: SecretBytes) -> SecretBytes {
    hash([.bytes(username), .bytes([0x3A]), .secret(code)])
  }

  /// x = H(salt ‖ H(I ‖ ":" ‖ P)).
  static func privateExponent(_ username: [UInt8], _ code: SecretBytes, salt: [UInt8]) -> SecretBytes {
    hash([.bytes(salt), .secret(identity(username, code))])
  }

  /// u = H(PAD(A) ‖ PAD(B)).
  static func scrambler(_ a: [UInt8], _ b: [UInt8]) -> SecretBytes { hash([.bytes(padded(a)), .bytes(padded(b))]) }

  /// K = H(S), without the zeros before S: how many there are shows in the time, as the protocol has it.
  static func key(_ premaster: Residue) -> SecretBytes {
    let bytes = premaster.bytes
    var start = 0
    while start < bytes.count - 1, bytes[start] == 0 { start += 1 }
    return hash([.secret(bytes.copy(start..<bytes.count))])
  }

  /// M1: the keys as they were sent.
  static func clientProof(
    username: [UInt8], salt: [UInt8], _ a: [UInt8], _ b: [UInt8], key: SecretBytes
  ) -> SecretBytes {
    hash([
      .bytes(group), .secret(hash([.bytes(username)])), .bytes(salt), .bytes(a), .bytes(b), .secret(key),
    ])
  }

  /// M2 = H(A ‖ M1 ‖ K).
  static func deviceProof(_ a: [UInt8], _ clientProof: SecretBytes, key: SecretBytes) -> SecretBytes {
    hash([.bytes(a), .secret(clientProof), .secret(key)])
  }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](repeating: 0, count: max(0, SRPGroup.byteCount - bytes.count)) + bytes
  }

  private enum Part {
    case bytes([UInt8])
    case secret(SecretBytes)
  }

  private static func hash(_ parts: [Part]) -> SecretBytes {
    var hash = SHA512()
    for part in parts {
      switch part {
      case .bytes(let bytes): hash.update(data: bytes)
      case .secret(let secret): secret.withUnsafeBytes { hash.update(bufferPointer: $0) }
      }
    }
    return hash.finalize().withUnsafeBytes { SecretBytes($0) }
  }
}
