import Foundation
import LatchkeyAttestation
import LatchkeyByteCoding
import Testing

/// The files that Fixtures/make made.
enum Fixture {
  /// A time at which its certificates are valid: the start of 2030.
  static let time = Date(timeIntervalSince1970: 1_893_456_000)
  static let attestations = ["presence", "plain", "policy-and-user", "policy-noda", "pinned", "rsa"]

  static func bytes(_ name: String) throws -> [UInt8] {
    let url = try #require(Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Fixtures"))
    return [UInt8](try Data(contentsOf: url))
  }

  static func text(_ name: String) throws -> String {
    String(decoding: try bytes(name), as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  static func attestation(_ name: String) throws -> [UInt8] { try bytes(name + ".cbor") }

  static func challenge() throws -> [UInt8] { try bytes("challenge") }

  /// Trusts the root and, if wanted, the attestation key.
  static func verifier(
    root: Bool = true, pin: Bool = false, policy: AttestationPolicy = AttestationPolicy()
  ) throws -> AttestationVerifier {
    let pem = (root ? try text("root.pem") : "") + "\n" + (pin ? try text("ak.pem") : "")
    return try AttestationVerifier(trust: AttestationTrust(pem: pem), policy: policy)
  }
}
