import Crypto
import Foundation
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyEnclaveKeys

@Suite("Wycheproof: the software engine")
struct EngineWycheproofTests {
  private let engine = SoftwareEngine()
  private let control = AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: .privateKeyUsage)

  private func loaded(_ digits: Data) throws -> any LoadedKey {
    let digits = [UInt8](digits).drop { $0 == 0 }
    let scalar = [UInt8](repeating: 0, count: 32 - digits.count) + digits
    let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: scalar)
    return try engine.load(
      publicKey: Array(key.publicKey.x963Representation), blob: try engine.create(control).blob, secret: scalar,
      control: control)
  }

  @Test("every point is agreed with, or refused, as it should be")
  func points() throws {
    var (agreed, refused) = (0, 0)
    for (_, test) in try Wycheproof("ecdh_secp256r1_ecpoint").all {
      let key = try loaded(try #require(test.private))
      let point = [UInt8](try #require(test.public))
      let secret: [UInt8]?
      do throws(StoreError) {
        secret = try key.sharedSecret(with: point)
        agreed += 1
      } catch {
        guard case .invalidParameter = error else { throw error }
        secret = nil
        refused += 1
      }
      // Acceptable is a compressed point, which an enclave's peers do not send.
      #expect((secret != nil) == (test.result == .valid), "\(test.id)")
      if let secret { #expect(secret == [UInt8](try #require(test.shared)), "\(test.id)") }
    }
    #expect(agreed > 200 && refused > 10)
  }
}
