/// ECDH on the curve secp192k1 (SEC 2, 2.2.1; OpenSSL's NID 711).
///
/// The curve gives about 96 bits of security, and the legacy protocol uses it without authentication: it exists for
/// devices that have no other protocol. Multiplications take a time that depends on neither operand, and no heap.
public enum Secp192k1 {
  /// Why a key agreement fails.
  public enum Failure: Error, Equatable, Sendable {
    /// A public key is no point of the curve: wrong length, a coordinate not below p, or off the curve.
    case invalidPublicKey
    /// A private key is not 24 bytes, or not in 1..<n.
    case invalidPrivateKey
    /// The shared secret would be all zero bytes.
    case zeroSharedSecret
  }

  /// A coordinate's length, and a private key's, in bytes.
  public static let coordinateLength = 24
  /// A public key's length in bytes: x and y.
  public static let publicKeyLength = 48
}
