import CBenchCrypto
import LatchkeyProvisioningProtocol

/// One private key and one peer, as both sides have them.
final class Pair {
  private let own: Secp192k1.PrivateKey
  private let peer: [48 of UInt8]
  private let theirSide: OpaquePointer
  private var theirSecret = [UInt8](repeating: 0, count: 24)

  init() throws {
    var generator = SystemRandomNumberGenerator()
    own = try Secp192k1.PrivateKey(using: &generator)
    let peerKey = try Secp192k1.PrivateKey(using: &generator).publicKey
    peer = peerKey.fixedBytes
    let privateBytes = own.exposedBytes
    guard let side = bench_ecdh_new(privateBytes.indices.map { privateBytes[$0] }, [0x04] + peerKey.bytes) else {
      throw BenchFailure.libcryptoRefused
    }
    theirSide = side
  }

  deinit { bench_ecdh_free(theirSide) }

  var version: String { String(cString: bench_libcrypto_version()) }

  /// Both sides must compute the same secret.
  func check() throws {
    try theirs()
    let secret = try own.sharedSecret(with: Secp192k1.PublicKey(peer)).exposedBytes
    guard secret.indices.allSatisfy({ secret[$0] == theirSecret[$0] }) else { throw BenchFailure.secretsDiffer }
  }

  func ours() throws {
    let key = try Secp192k1.PublicKey(peer)
    let secret = try own.sharedSecret(with: key)
    blackHole(secret)
  }

  func theirs() throws {
    guard bench_ecdh_compute(theirSide, &theirSecret) == 1 else { throw BenchFailure.libcryptoRefused }
  }

  static func newPublicKey() throws -> Secp192k1.PublicKey {
    var generator = SystemRandomNumberGenerator()
    return try Secp192k1.PrivateKey(using: &generator).publicKey
  }

  static func newPublicKeyOfTheirs() throws {
    guard bench_ecdh_generate() == 1 else { throw BenchFailure.libcryptoRefused }
  }
}
