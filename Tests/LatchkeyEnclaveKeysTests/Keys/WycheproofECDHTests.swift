import LatchkeyTestSupport
import Foundation
import LatchkeyEnclaveKeys
import Testing

@Suite("Wycheproof: ECDH")
struct WycheproofECDHTests {
  @Test(
    "every point is agreed with, or refused, as it should be",
    arguments: ["ecdh_secp256r1_ecpoint", "ecdh_secp384r1_ecpoint", "ecdh_secp521r1_ecpoint"])
  func points(name: String) throws {
    for (group, test) in try Wycheproof(name).all {
      let curve = try Curve(wycheproof: group.curve)
      let secret = try? agree(test, on: curve) { (point: [UInt8]) throws(KeyError) in
        try PublicKey(externalRepresentation: point, family: .ellipticCurve)
      }
      // Acceptable is a compressed point: such are read.
      if test.result == .acceptable { #expect(test.flags?.contains("CompressedPublic") == true) }
      #expect((secret != nil) == (test.result != .invalid), "\(name) \(test.id)")
      if let secret { #expect(secret == [UInt8](try #require(test.shared)), "\(name) \(test.id)") }
    }
  }

  @Test(
    "every SubjectPublicKeyInfo is agreed with, or refused, as it should be",
    arguments: ["ecdh_secp256r1", "ecdh_secp384r1", "ecdh_secp521r1"])
  func encodedKeys(name: String) throws {
    var accepted: Set<String> = []
    for (group, test) in try Wycheproof(name).all {
      let curve = try Curve(wycheproof: group.curve)
      let secret = try? agree(test, on: curve) { (bytes: [UInt8]) throws(KeyError) in
        try PublicKey(derRepresentation: bytes)
      }
      switch test.result {
      case .valid: #expect(secret == [UInt8](try #require(test.shared)), "\(name) \(test.id)")
      case .invalid: #expect(secret == nil, "\(name) \(test.id)")
      case .acceptable:
        // Unusual encodings, and compressed points: of what is read at all, the secret must be right.
        guard let secret else { continue }
        #expect(secret == [UInt8](try #require(test.shared)), "\(name) \(test.id)")
        accepted.formUnion(test.flags ?? [])
      }
    }
    #expect(accepted == ["CompressedPublic", "CompressedPoint"])
  }

  /// The secret on which the case's private key agrees with its public key, read by `read`.
  func agree(
    _ test: Wycheproof.Case, on curve: Curve, _ read: ([UInt8]) throws(KeyError) -> PublicKey
  ) throws -> [UInt8] {
    let digits = [UInt8](try #require(test.private)).drop { $0 == 0 }
    let scalar = [UInt8](repeating: 0, count: curve.byteCount - digits.count) + digits
    let key = try PrivateKey(scalar: scalar, on: curve)
    let peer = try read([UInt8](try #require(test.public)))
    let secret = try key.exchange(with: peer, by: .ecdh(isCofactor: false, nil), size: nil, sharedInfo: [])
    #expect(secret == (try key.exchange(with: peer, by: .ecdh(isCofactor: true, nil), size: nil, sharedInfo: [])))
    return secret
  }
}
