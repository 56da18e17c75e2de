internal import Crypto
internal import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import Synchronization

/// The anti-replay nonces of ACME (RFC 8555 6.5). A nonce is its own proof: time, random bytes and an HMAC by a key that all servers
/// of a store share. So one that is handed out takes no place, and the store remembers only those of requests that concern an order.
final class ACMENonces: Sendable {
  private static let setting = "acme-nonce-key"
  /// The lifetime, in seconds.
  static let lifetime: Int64 = 3600
  /// How far ahead the clock of another server may be.
  private static let tolerance: Int64 = 60
  private static let macLength = 16
  private static let randomLength = 16

  private let key = Mutex<[UInt8]?>(nil)

  /// A nonce, by 16 fresh random bytes.
  func nonce(_ services: Services) async throws -> String {
    let content = withUnsafeBytes(of: services.now.bigEndian) { Array($0) } + services.random(Self.randomLength)
    return Base64URL.encode(content + Self.mac(content, try await key(services)))
  }

  /// Verifies a nonce that a request sends.
  ///
  /// - Returns: the nonce, and when it ends.
  /// - Throws: ``ACMEProblem/badNonce``.
  func verified(_ text: String, _ services: Services) async throws -> (nonce: Nonce, expires: Int64) {
    guard let bytes = Base64URL.decode(text), bytes.count == 8 + Self.randomLength + Self.macLength
    else { throw ACMEProblem.badNonce }
    let content = Array(bytes.prefix(8 + Self.randomLength))
    guard constantTimeEquals(Self.mac(content, try await key(services)), Array(bytes.suffix(Self.macLength))) else {
      throw ACMEProblem.badNonce
    }
    let made = bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let now = services.now
    guard made <= now + Self.tolerance, now < made + Self.lifetime else { throw ACMEProblem.badNonce }
    return (Nonce(bytes), made + Self.lifetime)
  }

  private static func mac(_ content: [UInt8], _ key: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: content, using: SymmetricKey(data: key)).prefix(macLength))
  }

  /// The key, which the first server draws.
  private func key(_ services: Services) async throws -> [UInt8] {
    if let known = key.withLock({ $0 }) { return known }
    let fresh = services.random(32)
    let stored = try await services.store.write { store in
      if let stored = try store.setting(Self.setting) { return stored }
      try store.setSetting(Self.setting, to: fresh)
      return fresh
    }
    key.withLock { $0 = stored }
    return stored
  }
}
