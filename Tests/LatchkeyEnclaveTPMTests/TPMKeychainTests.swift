@testable import LatchkeyUserPresence

#if TPM
  import Crypto
  import Foundation
  import LatchkeyEnclaveKeys
  import LatchkeyEnclaveTPM
  import LatchkeyKeychainModel
  @testable import LatchkeyKeychainStore
  import LatchkeyKeychainTesting
  import Testing

  /// A keychain in the folder of a swtpm.
  private func keychain(
    _ tpm: SoftwareTPM, root: RootKeySource = .keyFile(), user: ScriptedPrompter? = nil,
    biometry: [any Authenticator] = [], countsOpenings: Bool = true
  ) throws -> KeychainDatabase {
    // The folder of the TPM's state is not the keychain's: there are other files in it.
    var configuration = KeychainDatabase.Configuration(path: tpm.folder + "/keychain/keychain.db")
    configuration.rootKey = root
    configuration.scryptRounds = 16
    configuration.engines = .tpm(tcti: tpm.tcti)
    configuration.presence = PresenceConfiguration(biometry: biometry, prompter: user)
    configuration.countsOpenings = countsOpenings
    return try KeychainDatabase(configuration)
  }

  @Suite("The enclave in a TPM (swtpm)", .enabled(if: SoftwareTPM.isInstalled, "swtpm is not installed"))
  struct TPMEnclaveTests {
    private let digest = SHA256.hash(data: Data("a challenge".utf8))

    private func isValid(_ signature: [UInt8], _ key: EnclaveKey) throws -> Bool {
      try P256.Signing.PublicKey(x963Representation: key.publicKey)
        .isValidSignature(P256.Signing.ECDSASignature(rawRepresentation: signature), for: digest)
    }

    @Test("A key without constraints is made, used, stored by its representation, and attested")
    func unguarded() throws {
      let tpm = try SoftwareTPM()
      var database = try keychain(tpm)
      var enclave = try #require(database.enclave)
      #expect(enclave.backend == .tpm2)
      let key = try enclave.create(unconstrained, consent: Consent())
      #expect(key.backend == .tpm2)
      #expect(try isValid(try enclave.sign(digest: Array(digest), with: key, consent: Consent()), key))
      let other = P256.KeyAgreement.PrivateKey()
      let expected = try other.sharedSecretFromKeyAgreement(with: .init(x963Representation: key.publicKey))
      #expect(
        try enclave.sharedSecret(
          with: Array(other.publicKey.x963Representation), by: key, for: .exchange, consent: Consent())
          == expected.withUnsafeBytes { Array($0) })
      let statement = try enclave.attest(key, challenge: [1, 2, 3], consent: Consent())
      #expect(try AttestationObject(encoded: statement).format == "tpm")
      database.close()
      try tpm.restart()
      database = try keychain(tpm)
      enclave = try #require(database.enclave)
      let again = try enclave.key(representation: key.representation)
      #expect(try isValid(try enclave.sign(digest: Array(digest), with: again, consent: Consent()), key))
      // The same keychain, moved to another machine.
      database.close()
      let elsewhere = try SoftwareTPM()
      try FileManager.default.copyItem(atPath: tpm.folder + "/keychain", toPath: elsewhere.folder + "/keychain")
      let moved = try keychain(elsewhere)
      let enclaveThere = try #require(moved.enclave)
      guard
        case .foreignKey? = refusal({
          let key = try enclaveThere.key(representation: key.representation)
          return try enclaveThere.sign(digest: Array(digest), with: key, consent: Consent())
        })
      else {
        Issue.record("it signed")
        return
      }
    }

    @Test("A key behind a finger, and one behind the passcode: asked, signed, refused")
    func guarded() throws {
      let tpm = try SoftwareTPM()
      let finger = ScriptedAuthenticator()
      let user = ScriptedPrompter([.types("wrong passcode"), .types("correct horse"), .fails(.userCancel)])
      let database = try keychain(tpm, user: user, biometry: [finger])
      try database.setPasscode(Array("correct horse".utf8), current: nil)
      let enclave = try #require(database.enclave)
      for flags: AccessControl.Flags in [.biometryAny, .devicePasscode] {
        let control = AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: [.privateKeyUsage, flags])
        let key = try enclave.create(control, consent: Consent())
        let session = try #require(database.presence).makeSession()
        let consent = Consent(session: session, reason: "to sign")
        for _ in 0..<3 {
          #expect(try isValid(try enclave.sign(digest: Array(digest), with: key, consent: consent), key))
        }
        session.invalidate()
        guard
          case .presence? = refusal({
            try enclave.sign(digest: Array(digest), with: key, consent: Consent(interaction: .refused))
          })
        else {
          Issue.record("it signed")
          continue
        }
      }
      #expect(finger.timesAsked == 1 && user.questions.count == 2)
    }
  }

  @Suite("A keychain whose root is in a TPM (swtpm)", .enabled(if: SoftwareTPM.isInstalled, "swtpm is not installed"))
  struct TPMRootTests {
    private let passcode = Array("correct horse".utf8)
    private let item = NewItem(
      .genericPassword, attributes: [.service: .text("s"), .account: .text("a")], data: [1, 2])

    private func isUnavailable(_ body: () throws -> KeychainDatabase) -> String? {
      if case .rootKeyUnavailable(let text)? = refusal(body) { text } else { nil }
    }

    @Test("It opens again with its TPM, and says where its root key is")
    func opens() throws {
      let tpm = try SoftwareTPM()
      let root = RootKeySource.tpm(tcti: tpm.tcti)
      let first = try keychain(tpm, root: root)
      _ = try first.add(item, as: .none)
      first.close()
      try tpm.restart()
      let again = RootKeySource.tpm(tcti: tpm.tcti)
      let second = try keychain(tpm, root: again)
      #expect(try second.find(ItemQuery(.genericPassword), as: .none).count == 1)
      #expect(try second.status().rootKey == again)
      second.close()
      #expect(access(tpm.folder + "/keychain/keychain.tpm", F_OK) == 0)
      #expect(access(tpm.folder + "/keychain/keychain.key", F_OK) != 0)
      // Nothing is left in the TPM but the counter.
      #expect(try tpm.run("tpm2_getcap", ["handles-transient"]).output == "")
      #expect(try tpm.run("tpm2_getcap", ["handles-nv-index"]).output.split(separator: "\n").count == 1)
    }

    @Test("Another TPM, other registers, a changed file: no root key")
    func refuses() throws {
      let tpm = try SoftwareTPM()
      let root = RootKeySource.tpm(registers: [16], tcti: tpm.tcti)
      try keychain(tpm, root: root).close()
      let other = try SoftwareTPM()
      #expect(isUnavailable { try keychain(tpm, root: .tpm(tcti: other.tcti)) } != nil)
      #expect(try tpm.run("tpm2_pcrextend", ["16:sha256=" + String(repeating: "01", count: 32)]).code == 0)
      #expect(isUnavailable { try keychain(tpm, root: root) }?.contains("registers changed: 16.") == true)
      #expect(try tpm.run("tpm2_pcrreset", ["16"]).code == 0)
      try keychain(tpm, root: root).close()
      let path = tpm.folder + "/keychain/keychain.tpm"
      let sound = try Data(contentsOf: URL(fileURLWithPath: path))
      for offset in [0, 4, 9, 200, sound.count - 1] {
        var changed = sound
        changed[offset] ^= 1
        try changed.write(to: URL(fileURLWithPath: path))
        chmod(path, 0o600)
        #expect(throws: StoreError.self, "\(offset)") { try keychain(tpm, root: root) }
      }
      try FileManager.default.removeItem(atPath: path)
      #expect(isUnavailable { try keychain(tpm, root: root) }?.contains("there is no sealed root key") == true)
    }

    @Test("A copy of the file from before an unlock or a change of the passcode is an old one")
    func oldCopy() throws {
      let tpm = try SoftwareTPM()
      let root = RootKeySource.tpm(tcti: tpm.tcti)
      let path = tpm.folder + "/keychain/keychain.db"
      func copy(_ from: String, _ to: String) throws {
        for suffix in ["", "-wal", "-shm"] {
          try? FileManager.default.removeItem(atPath: to + suffix)
          if access(from + suffix, F_OK) == 0 {
            try FileManager.default.copyItem(atPath: from + suffix, toPath: to + suffix)
          }
        }
      }
      var database = try keychain(tpm, root: root)
      _ = try database.add(item, as: .none)
      database.close()
      try copy(path, tpm.folder + "/before")
      database = try keychain(tpm, root: root)
      try database.setPasscode(passcode, current: nil)
      database.close()
      try copy(path, tpm.folder + "/with-passcode")
      // An old copy has no passcode yet.
      try copy(tpm.folder + "/before", path)
      #expect(refusal { try keychain(tpm, root: root) } == .rolledBack(path: path))
      try copy(tpm.folder + "/with-passcode", path)
      database = try keychain(tpm, root: root)
      try database.unlock(passcode: passcode)
      database.close()
      try copy(path, tpm.folder + "/unlocked")
      try copy(tpm.folder + "/with-passcode", path)
      #expect(refusal { try keychain(tpm, root: root) } == .rolledBack(path: path))
      try copy(tpm.folder + "/unlocked", path)
      database = try keychain(tpm, root: root)
      try database.unlock(passcode: passcode)
      #expect(try database.find(ItemQuery(.genericPassword), as: .none).count == 1)
      try database.removePasscode(current: passcode)
      database.close()
      #expect(try keychain(tpm, root: root).lockState == .unlocked)
    }

    @Test("Without a passcode a copy from before a process opened the keychain is an old one")
    func oldCopyWithoutPasscode() throws {
      let tpm = try SoftwareTPM()
      let root = RootKeySource.tpm(tcti: tpm.tcti)
      let path = tpm.folder + "/keychain/keychain.db"
      // As an earlier process left it: a process counts once, and this one shall count now.
      let first = try keychain(tpm, root: root, countsOpenings: false)
      try first.add(item, as: .none)
      first.close()
      let copy = try Data(contentsOf: URL(filePath: path))
      let second = try keychain(tpm, root: root)
      #expect(try second.find(ItemQuery(.genericPassword), as: .none).count == 1)
      second.close()
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      try copy.write(to: URL(filePath: path))
      chmod(path, 0o600)
      #expect(refusal { try keychain(tpm, root: root) } == .rolledBack(path: path))
    }

    @Test("A process reads the registers of its root key and the chain of its attestations from its environment")
    func process() throws {
      let tpm = try SoftwareTPM()
      let chain = tpm.folder + "/nothing.pem"
      func database() throws -> KeychainDatabase {
        let settings = try ProcessSettings(environment: [
          "LATCHKEY_KEYCHAIN": tpm.folder + "/keychain/keychain.db", "LATCHKEY_ROOT_KEY": "tpm:\(tpm.tcti)?pcrs=16",
          "LATCHKEY_ENCLAVE": "tpm:\(tpm.tcti)", "LATCHKEY_ATTESTATION_CHAIN": chain,
        ])
        return try ProcessKeychain(settings: .success(settings)).database()
      }
      let first = try database()
      let enclave = try #require(first.enclave)
      let key = try enclave.create(unconstrained, consent: Consent())
      guard
        case .configuration(let text)? = refusal({
          try enclave.attest(key, challenge: Array(repeating: 1, count: 8), consent: Consent())
        })
      else {
        Issue.record("it attests without the chain that it was given")
        return
      }
      #expect(text.contains(chain))
      first.close()
      #expect(try tpm.run("tpm2_pcrextend", ["16:sha256=" + String(repeating: "01", count: 32)]).code == 0)
      #expect(isUnavailable { try database() }?.contains("registers changed: 16.") == true)
      #expect(try tpm.run("tpm2_pcrreset", ["16"]).code == 0)
      try database().close()
    }

    @Test("Emptied, or gone, it is damage by the mark beside the sealed root key", arguments: [false, true])
    func lost(_ isGone: Bool) throws {
      let tpm = try SoftwareTPM()
      let root = RootKeySource.tpm(tcti: tpm.tcti)
      let path = tpm.folder + "/keychain/keychain.db"
      let first = try keychain(tpm, root: root)
      try first.add(item, as: .none)
      first.close()
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      #expect((isGone ? unlink(path) : truncate(path, 0)) == 0)
      guard case .damaged(let text)? = refusal({ try keychain(tpm, root: root) }) else {
        Issue.record("a new keychain took its place")
        return
      }
      #expect(text.contains("keychain.tpm.used"))
    }

    @Test("A crash between the file and the TPM is made good; more than that is no crash")
    func crash() throws {
      let counter = FixedCounter(7)
      let rollback = RollbackGuard(counter: counter)
      try rollback.verify(generation: 7, path: "p")
      try rollback.verify(generation: 8, path: "p")
      #expect(throws: StoreError.rolledBack(path: "p")) { try rollback.verify(generation: 6, path: "p") }
      #expect(throws: StoreError.self) { try rollback.verify(generation: 9, path: "p") }
      // The file was ahead: the next one is ahead by one again, not by two.
      #expect(try rollback.next(after: 8) == 9)
      #expect(counter.value() == 8)
      try rollback.settle(9)
      #expect(counter.value() == 9)
      try rollback.settle(9)
      #expect(counter.value() == 9)
      #expect(throws: StoreError.self) { try rollback.settle(12) }
    }
  }

  /// A counter of a test.
  private final class FixedCounter: HardwareCounter {
    private nonisolated(unsafe) var number: UInt64
    init(_ number: UInt64) { self.number = number }
    func value() -> UInt64 { number }
    func increment() -> UInt64 {
      number += 1
      return number
    }
  }
#endif
