internal import ByteCoding
internal import CertificateAuthority
internal import Crypto
package import EnrollmentStore
internal import Foundation
package import Logging

/// What every route has at hand.
package struct Services: Sendable {
  package let configuration: ServerConfiguration
  /// Devices by certificate, with what was revoked.
  package let directory: DeviceDirectory

  package init(_ configuration: ServerConfiguration) {
    self.configuration = configuration
    directory = DeviceDirectory(configuration.store, staleness: configuration.policy.revocationStaleness)
    let digest = SHA256.hash(data: configuration.answerKey.publicKey)
    answerKeyID = Hexadecimal.encode(digest.prefix(8))
  }

  /// The `keyid` of the answers' signatures: what clients know the answer key by.
  package let answerKeyID: String

  package var store: any EnrollmentStore { configuration.store }
  package var policy: ServerPolicy { configuration.policy }
  package var limits: ServerLimits { configuration.limits }
  package var logger: Logger { configuration.logger }
  /// Seconds since 1970.
  package var now: Int64 { Int64(configuration.clock().timeIntervalSince1970.rounded(.down)) }

  /// So many fresh random bytes.
  package func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
