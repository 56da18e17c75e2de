internal import Foundation
internal import LatchkeySystem
internal import NIOCore
internal import NIOSSL
internal import Security

/// Adapts a keychain's private key to the TLS handshake: `SecKeyCreateSignature` signs, with a prompt if the key needs one, on
/// a thread that may block.
struct KeychainPrivateKey: NIOSSLCustomPrivateKey, Hashable {
  let key: SecKey
  let signatureAlgorithms: [SignatureAlgorithm]

  /// - Throws: `.misuse` for a key without a usable TLS signature scheme.
  init(_ key: SecKey) throws(EnrollmentError) {
    self.key = key
    signatureAlgorithms = TLSSignature.all.filter { $0.fits(key) }.map(\.name)
    if signatureAlgorithms.isEmpty {
      throw .misuse("this key cannot sign in TLS: take a P-256, P-384, P-521 or RSA key that may sign")
    }
  }

  func sign(channel: any Channel, algorithm: SignatureAlgorithm, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
    let promise = channel.eventLoop.makePromise(of: ByteBuffer.self)
    guard let signature = TLSSignature.all.first(where: { $0.name == algorithm }) else {
      promise.fail(EnrollmentError.misuse("this key has no signature of that kind"))
      return promise.futureResult
    }
    BlockingThreads.enrollment.perform { [key] in
      do throws(EnrollmentError) {
        let bytes = try key.signature(of: Array(data.readableBytesView), by: signature.algorithm)
        promise.succeed(ByteBuffer(bytes: bytes))
      } catch {
        promise.fail(error)
      }
    }
    return promise.futureResult
  }

  func decrypt(channel: any Channel, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
    // Only RSA key exchange would need this; this product does not support it.
    channel.eventLoop.makeFailedFuture(EnrollmentError.misuse("keys of the keychain only sign in TLS"))
  }
}

/// A signature scheme of TLS 1.2 and 1.3 (RFC 8446 4.2.3), and its algorithm in `Security`.
struct TLSSignature: Sendable {
  let name: SignatureAlgorithm
  let algorithm: SecKeyAlgorithm
  /// The size of the curve, where the scheme fixes it.
  let curve: Int?

  /// In order of preference.
  static let all = [
    TLSSignature(name: .ecdsaSecp256R1Sha256, algorithm: .ecdsaSignatureMessageX962SHA256, curve: 256),
    TLSSignature(name: .ecdsaSecp384R1Sha384, algorithm: .ecdsaSignatureMessageX962SHA384, curve: 384),
    TLSSignature(name: .ecdsaSecp521R1Sha512, algorithm: .ecdsaSignatureMessageX962SHA512, curve: 521),
    TLSSignature(name: .rsaPssRsaeSha256, algorithm: .rsaSignatureMessagePSSSHA256, curve: nil),
    TLSSignature(name: .rsaPssRsaeSha384, algorithm: .rsaSignatureMessagePSSSHA384, curve: nil),
    TLSSignature(name: .rsaPssRsaeSha512, algorithm: .rsaSignatureMessagePSSSHA512, curve: nil),
    TLSSignature(name: .rsaPkcs1Sha256, algorithm: .rsaSignatureMessagePKCS1v15SHA256, curve: nil),
    TLSSignature(name: .rsaPkcs1Sha384, algorithm: .rsaSignatureMessagePKCS1v15SHA384, curve: nil),
    TLSSignature(name: .rsaPkcs1Sha512, algorithm: .rsaSignatureMessagePKCS1v15SHA512, curve: nil),
  ]

  /// Whether `key` supports and permits the scheme.
  func fits(_ key: SecKey) -> Bool {
    guard SecKeyIsAlgorithmSupported(key, .sign, algorithm) else { return false }
    guard let curve else { return true }
    let attributes = SecKeyCopyAttributes(key) as? [CFString: Any]
    return (attributes?[kSecAttrKeySizeInBits] as? NSNumber)?.intValue == curve
  }
}
