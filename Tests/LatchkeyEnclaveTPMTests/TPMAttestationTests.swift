#if TPM
  import Crypto
  import LatchkeyEnclaveKeys
  @testable import LatchkeyEnclaveTPM
  import Foundation
  import LatchkeyKeychainModel
  import Testing

  @Suite("Attestation by a TPM (swtpm)", .enabled(if: SoftwareTPM.isInstalled, "swtpm is not installed"))
  struct TPMAttestationTests {
    private let challenge = Array("a server's challenge".utf8)

    @Test("The attestation key signs what the TPM knows of the key", arguments: [unconstrained, constrained])
    func certifies(_ control: AccessControl) throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let created = try engine.create(control)
      let key = try engine.load(created, control)
      let encoded = try #require(try key.attest(challenge: challenge))
      let statement = try TPMStatement(AttestationObject(encoded: encoded).statement)
      #expect(statement.algorithm == -7 && statement.certificates.isEmpty)
      let attestationKey = try engine.attestationKey()
      // TPMT_SIGNATURE: ECDSA, SHA-256, r, s with their lengths.
      #expect(Array(statement.signature.prefix(4)) == [0x00, 0x18, 0x00, 0x0B])
      let r = Array(statement.signature[6..<6 + Int(statement.signature[5])])
      let s = Array(statement.signature.suffix(from: 8 + r.count))
      let signature = try P256.Signing.ECDSASignature(
        rawRepresentation: TPMBuffer.number(r) + TPMBuffer.number(s))
      let publicKey = try P256.Signing.PublicKey(x963Representation: attestationKey.publicKey)
      #expect(publicKey.isValidSignature(signature, for: SHA256.hash(data: statement.certifyInfo)))
      // TPM_GENERATED, TPM_ST_ATTEST_CERTIFY; the challenge's digest; the key's name.
      #expect(Array(statement.certifyInfo.prefix(6)) == [0xFF, 0x54, 0x43, 0x47, 0x80, 0x17])
      let info = Data(statement.certifyInfo)
      #expect(info.range(of: Data(SHA256.hash(data: challenge))) != nil)
      #expect(info.range(of: Data([0, 0x22, 0, 0x0B] + SHA256.hash(data: statement.publicArea))) != nil)
      #expect(Data(statement.publicArea).range(of: Data(created.publicKey[1..<33])) != nil)
      #expect(try key.sign(digest: [1]).count == 64)
    }

    @Test("The attestation key is the same each time, and another TPM's is another")
    func sameKey() throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let key = try engine.attestationKey()
      #expect(key.name == [0, 0x0B] + SHA256.hash(data: key.publicArea.dropFirst(2)))
      try tpm.restart()
      #expect(try TPMEngine(tcti: tpm.tcti).attestationKey() == key)
      let other = try SoftwareTPM()
      #expect(try TPMEngine(tcti: other.tcti).attestationKey() != key)
    }

    @Test("Its certificates come along, if the first is its own")
    func chain() throws {
      let tpm = try SoftwareTPM()
      let path = tpm.folder + "/chain.pem"
      let engine = TPMEngine(tcti: tpm.tcti, attestationChainPath: path)
      let key = try engine.load(try engine.create(constrained), constrained)
      func configurationFault() -> String {
        if case .configuration(let text)? = refusal({ try key.attest(challenge: challenge) }) { text } else { "" }
      }
      #expect(configurationFault().contains("cannot be read"))
      let attestationKey = try P256.Signing.PublicKey(x963Representation: try engine.attestationKey().publicKey)
      // The verifier validates the certificate around the key.
      func certificate(_ key: P256.Signing.PublicKey) -> String {
        let body = Data([0x30, 0x82, 1, 0]) + key.derRepresentation + Data(repeating: 7, count: 100)
        return "-----BEGIN CERTIFICATE-----\n\(body.base64EncodedString(options: .lineLength64Characters))\n"
          + "-----END CERTIFICATE-----\n"
      }
      func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
      let stranger = certificate(P256.Signing.PrivateKey().publicKey)
      let own = certificate(attestationKey)
      try write("Subject: nobody\n" + own + stranger)
      let statement = try TPMStatement(
        AttestationObject(encoded: try #require(try key.attest(challenge: challenge))).statement)
      #expect(statement.certificates.count == 2)
      #expect(Data(statement.certificates[0]).range(of: attestationKey.derRepresentation) != nil)
      try write(stranger + own)
      #expect(configurationFault().contains("is not of this TPM's attestation key"))
      for text in [
        "", "-----BEGIN CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n",
        String(repeating: own, count: 9),
      ] {
        try write(text)
        #expect(configurationFault().contains("LATCHKEY_ATTESTATION_CHAIN"), "\(text.prefix(80))")
      }
    }

    @Test(
      "A credential that tpm2_makecredential encrypts to the endorsement key opens for the attestation key",
      .enabled(if: SoftwareTPM.hasTools, "tpm2-tools are not installed"))
    func credential() throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let endorsement = try engine.endorsement()
      #expect(endorsement.certificate == nil && endorsement.certificateRSA == nil)
      let attestationKey = try engine.attestationKey()
      engine.device.disconnect()
      let secret = Array("a secret of the authority".utf8)
      try Data(endorsement.key.publicArea).write(to: URL(fileURLWithPath: tpm.folder + "/ek.pub"))
      try Data(secret).write(to: URL(fileURLWithPath: tpm.folder + "/secret"))
      let name = attestationKey.name.map { String(format: "%02x", $0) }.joined()
      let made = try tpm.run(
        "tpm2_makecredential", ["-T", "none", "-u", "ek.pub", "-s", "secret", "-n", name, "-o", "credential"])
      #expect(made.code == 0, "\(made.output)")
      // Magic and version (4 each), TPM2B_ID_OBJECT, TPM2B_ENCRYPTED_SECRET.
      let file = Array(try Data(contentsOf: URL(fileURLWithPath: tpm.folder + "/credential")))
      let identityCount = Int(file[8]) << 8 | Int(file[9])
      let identity = Array(file[10..<10 + identityCount])
      let encrypted = Array(file[(12 + identityCount)...])
      #expect(try engine.activate(credential: identity, secret: encrypted) == secret)
      // And again, on cached sessions; and not if it was changed, or in another TPM.
      #expect(try engine.activate(credential: identity, secret: encrypted) == secret)
      func expectRefusal(_ engine: TPMEngine, _ credential: [UInt8], _ secret: [UInt8]) {
        do throws(StoreError) {
          _ = try engine.activate(credential: credential, secret: secret)
          Issue.record("a credential of something else opens")
        } catch {
          guard case .foreignKey(let text) = error else {
            Issue.record("\(error)")
            return
          }
          #expect(text.contains("made for another endorsement key or attestation key"))
        }
      }
      for index in [10, identity.count - 1] {
        var changed = identity
        changed[index] ^= 1
        expectRefusal(engine, changed, encrypted)
      }
      for index in [0, 3, encrypted.count - 1] {
        var changed = encrypted
        changed[index] ^= 1
        expectRefusal(engine, identity, changed)
      }
      #expect(throws: StoreError.self) { try engine.activate(credential: [], secret: []) }
      let other = try SoftwareTPM()
      expectRefusal(TPMEngine(tcti: other.tcti), identity, encrypted)
      #expect(try engine.activate(credential: identity, secret: encrypted) == secret)
    }

    @Test(
      "The maker's certificate is read, however long",
      .enabled(if: SoftwareTPM.hasTools, "tpm2-tools are not installed"))
    func makersCertificate() throws {
      let tpm = try SoftwareTPM()
      let certificate = (0..<1300).map { UInt8(truncatingIfNeeded: $0 * 7) }
      try Data(certificate).write(to: URL(fileURLWithPath: tpm.folder + "/certificate"))
      let attributes = "ppwrite|ppread|ownerread|authread|no_da|platformcreate"
      #expect(try tpm.run("tpm2_nvdefine", ["0x1C0000A", "-C", "p", "-s", "1300", "-a", attributes]).code == 0)
      #expect(try tpm.run("tpm2_nvwrite", ["0x1C0000A", "-C", "p", "-i", "certificate"]).code == 0)
      let endorsement = try TPMEngine(tcti: tpm.tcti).endorsement()
      #expect(endorsement.certificate == certificate && endorsement.certificateRSA == nil)
    }
  }
#endif
