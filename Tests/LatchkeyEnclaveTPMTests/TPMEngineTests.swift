#if TPM
  import CLatchkeyTSS2
  import Crypto
  import LatchkeyEnclaveKeys
  @testable import LatchkeyEnclaveTPM
  import Foundation
  import LatchkeyKeychainModel
  import Testing

  let unconstrained = AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: .privateKeyUsage)
  let constrained = AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: [.privateKeyUsage, .userPresence])

  /// The error that `body` throws; nil if it throws none.
  func refusal<Value>(_ body: () throws -> Value) -> StoreError? {
    do {
      _ = try body()
      return nil
    } catch {
      return error as? StoreError
    }
  }

  extension TPMEngine {
    func load(_ key: CreatedKey, _ control: AccessControl) throws(StoreError) -> any LoadedKey {
      try load(publicKey: key.publicKey, blob: key.blob, secret: key.secret, control: control)
    }
  }

  @Suite("Keys in a TPM (swtpm)", .enabled(if: SoftwareTPM.isInstalled, "swtpm is not installed"))
  struct TPMEngineTests {
    @Test("A new key signs, and swift-crypto verifies", arguments: [unconstrained, constrained])
    func signs(_ control: AccessControl) throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let created = try engine.create(control)
      #expect(created.publicKey.count == 65 && created.secret.count == 32)
      let key = try engine.load(created, control)
      let publicKey = try P256.Signing.PublicKey(x963Representation: created.publicKey)
      for message in ["", "a", "challenge"] {
        let digest = SHA256.hash(data: Data(message.utf8))
        let signature = try key.sign(digest: Array(digest))
        #expect(signature.count == 64)
        #expect(publicKey.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: signature), for: digest))
      }
    }

    @Test("Of longer digests the first bits count, and shorter ones are smaller numbers")
    func otherDigests() throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let created = try engine.create(unconstrained)
      let key = try engine.load(created, unconstrained)
      let publicKey = try P256.Signing.PublicKey(x963Representation: created.publicKey)
      func isValid(_ digest: some Digest) throws -> Bool {
        let signature = try key.sign(digest: Array(digest))
        return publicKey.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: signature), for: digest)
      }
      #expect(try isValid(SHA512.hash(data: Data("a".utf8))))
      #expect(try isValid(SHA384.hash(data: Data("a".utf8))))
      #expect(try isValid(Insecure.SHA1.hash(data: Data("a".utf8))))
      #expect(throws: StoreError.self) { try key.sign(digest: []) }
      #expect(throws: StoreError.self) { try key.sign(digest: Array(repeating: 1, count: 65)) }
    }

    @Test("OpenSSL verifies what it signs")
    func openSSL() throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let created = try engine.create(unconstrained)
      let key = try engine.load(created, unconstrained)
      let message = Data("a challenge".utf8)
      let signature = try key.sign(digest: Array(SHA256.hash(data: message)))
      let publicKey = try P256.Signing.PublicKey(x963Representation: created.publicKey)
      let der = try P256.Signing.ECDSASignature(rawRepresentation: signature).derRepresentation
      try message.write(to: URL(fileURLWithPath: tpm.folder + "/message"))
      try der.write(to: URL(fileURLWithPath: tpm.folder + "/signature"))
      try Data(publicKey.pemRepresentation.utf8).write(to: URL(fileURLWithPath: tpm.folder + "/key.pem"))
      let arguments = ["dgst", "-sha256", "-verify", "key.pem", "-signature", "signature", "message"]
      #expect(try tpm.run("openssl", arguments).output == "Verified OK\n")
      try Data("another".utf8).write(to: URL(fileURLWithPath: tpm.folder + "/message"))
      #expect(try tpm.run("openssl", arguments).code == 1)
    }

    @Test("It agrees as swift-crypto does", arguments: [unconstrained, constrained])
    func agrees(_ control: AccessControl) throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let created = try engine.create(control)
      let key = try engine.load(created, control)
      let publicKey = try P256.KeyAgreement.PublicKey(x963Representation: created.publicKey)
      for _ in 0..<4 {
        let other = P256.KeyAgreement.PrivateKey()
        let expected = try other.sharedSecretFromKeyAgreement(with: publicKey).withUnsafeBytes { Array($0) }
        #expect(try key.sharedSecret(with: Array(other.publicKey.x963Representation)) == expected)
      }
      // And still signs: one key does both.
      #expect(try key.sign(digest: Array(repeating: 7, count: 32)).count == 64)
    }

    @Test("Points that are none are refused, and the key goes on")
    func wrongPoints() throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let key = try engine.load(try engine.create(unconstrained), unconstrained)
      var offTheCurve = Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
      offTheCurve[64] ^= 1
      var compressedTag = offTheCurve
      compressedTag[0] = 2
      // The field's prime: a coordinate must be below it.
      let prime: [UInt8] =
        [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1] + Array(repeating: 0, count: 12) + Array(repeating: 0xFF, count: 12)
      let cases: [[UInt8]] = [
        [], [0], [4], offTheCurve, compressedTag, Array(offTheCurve.dropLast()), offTheCurve + [0],
        [4] + Array(repeating: 0, count: 64), [4] + Array(repeating: 0xFF, count: 64), [4] + prime + prime,
      ]
      for point in cases {
        #expect(throws: StoreError.invalidParameter("the other side's key is no point of P-256 in X9.63 form")) {
          try key.sharedSecret(with: point)
        }
      }
      #expect(try key.sign(digest: Array(repeating: 7, count: 32)).count == 64)
    }

    @Test("The TPM holds to it by itself: attributes and policy stand in the public area")
    func publicArea() throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let free = try TPMMarshalling.publicArea(TPMBlob(bytes: try engine.create(unconstrained).blob).publicArea)
      #expect(free.publicArea.objectAttributes == 0x60472 && free.publicArea.authPolicy.size == 0)
      let guarded = try TPMMarshalling.publicArea(TPMBlob(bytes: try engine.create(constrained).blob).publicArea)
      #expect(guarded.publicArea.objectAttributes == 0x60032)
      // PolicyAuthValue alone, as tpm2_policyauthvalue prints it.
      #expect(
        TPMBuffer.bytes(of: guarded.publicArea.authPolicy).map { String(format: "%02x", $0) }.joined()
          == "8fcd2169ab92694e0c633f1ab772842b8241bbc20288981fc7ac1eddc1fddb0e")
    }

    @Test("A blob of another TPM is said to be foreign")
    func foreign() throws {
      let tpm = try SoftwareTPM()
      let other = try SoftwareTPM()
      let created = try TPMEngine(tcti: other.tcti).create(unconstrained)
      let engine = TPMEngine(tcti: tpm.tcti)
      guard case .foreignKey? = refusal({ try engine.load(created, unconstrained) }) else {
        Issue.record("it loaded")
        return
      }
      // With the right name on it, the TPM itself refuses.
      let own = try TPMBlob(bytes: try engine.create(unconstrained).blob)
      var forged = try TPMBlob(bytes: created.blob)
      forged.parentName = own.parentName
      guard
        case .damaged? = refusal({
          try engine.load(
            publicKey: created.publicKey, blob: forged.bytes, secret: created.secret, control: unconstrained)
        })
      else {
        Issue.record("it loaded")
        return
      }
      #expect(try engine.load(try engine.create(constrained), constrained).sign(digest: [1]).count == 64)
    }

    @Test("Parts that do not belong together are reported as damaged")
    func mixedParts() throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let one = try engine.create(constrained)
      let two = try engine.create(constrained)
      func isDamaged(_ body: () throws(StoreError) -> Void) -> Bool {
        do {
          try body()
          return false
        } catch .damaged {
          return true
        } catch {
          return false
        }
      }
      #expect(
        isDamaged { () throws(StoreError) in
          _ = try engine.load(publicKey: one.publicKey, blob: two.blob, secret: one.secret, control: constrained)
        })
      #expect(isDamaged { () throws(StoreError) in _ = try engine.load(one, unconstrained) })
      var mixed = try TPMBlob(bytes: one.blob)
      mixed.privateArea = try TPMBlob(bytes: two.blob).privateArea
      #expect(
        isDamaged { () throws(StoreError) in
          _ = try engine.load(publicKey: one.publicKey, blob: mixed.bytes, secret: one.secret, control: constrained)
        })
      for count in [0, 1, 3, 36, 37, 60, one.blob.count - 1] {
        #expect(
          isDamaged { () throws(StoreError) in
            _ = try engine.load(
              publicKey: one.publicKey, blob: Array(one.blob.prefix(count)), secret: one.secret, control: constrained)
          }, "\(count)")
      }
    }
  }
#endif
