#if TPM
  import LatchkeyEnclaveKeys
  @testable import LatchkeyEnclaveTPM
  import Foundation
  import LatchkeyKeychainModel
  import Testing

  @Suite("Wrong authorizations (swtpm)", .enabled(if: SoftwareTPM.isInstalled, "swtpm is not installed"))
  struct TPMLockoutTests {
    @Test(
      "Wrong values are counted until the TPM locks itself; then the right one waits, too, and works after the reset")
    func lockout() throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let created = try engine.create(constrained)
      let free = try engine.create(unconstrained)
      var wrong = created
      wrong.secret[0] ^= 1
      let wrongKey = try engine.load(wrong, constrained)
      let key = try engine.load(created, constrained)
      var refusals: [StoreError] = []
      for _ in 0..<3 {
        do {
          _ = try wrongKey.sign(digest: Array(repeating: 1, count: 32))
        } catch {
          refusals.append(error)
        }
      }
      // swtpm locks itself with the third.
      #expect(
        refusals
          == [2, 1, 0].map {
            .presence(
              .authenticationFailed("the TPM refused the authorization of the key: \($0) more before it locks itself"))
          })
      for locked in [key, wrongKey] {
        if case .passcodeDelayed(let seconds)? = refusal({ try locked.sign(digest: Array(repeating: 1, count: 32)) }) {
          #expect(seconds == 1000)
        } else {
          Issue.record("it signed")
        }
        #expect(throws: StoreError.self) { try locked.attest(challenge: [1]) }
      }
      // Keys that nothing guards are not locked.
      #expect(try engine.load(free, unconstrained).sign(digest: [1]).count == 64)
      engine.device.disconnect()
      #expect(try tpm.run("tpm2_dictionarylockout", ["--clear-lockout"]).code == 0)
      #expect(try key.sign(digest: Array(repeating: 1, count: 32)).count == 64)
    }

    @Test("A lockout ends by itself after the TPM's own time")
    func recovers() throws {
      let tpm = try SoftwareTPM()
      let arguments = ["--setup-parameters", "--max-tries=2", "--recovery-time=1", "--lockout-recovery-time=1"]
      #expect(try tpm.run("tpm2_dictionarylockout", arguments).code == 0)
      let engine = TPMEngine(tcti: tpm.tcti)
      let created = try engine.create(constrained)
      var wrong = created
      wrong.secret[31] ^= 0x80
      let wrongKey = try engine.load(wrong, constrained)
      let key = try engine.load(created, constrained)
      for _ in 0..<2 { #expect(throws: StoreError.self) { try wrongKey.sign(digest: [1]) } }
      let deadline = ContinuousClock.now + .seconds(30)
      var sawDelay = false
      while let error = refusal({ try key.sign(digest: [1]) }) {
        sawDelay = true
        #expect(error == .passcodeDelayed(seconds: 1))
        try #require(ContinuousClock.now < deadline)
      }
      #expect(sawDelay)
    }

    @Test("A wrong value for a key without constraints is refused without being counted")
    func unguarded() throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let created = try engine.create(unconstrained)
      var wrong = created
      wrong.secret[0] ^= 1
      let wrongKey = try engine.load(wrong, unconstrained)
      for _ in 0..<5 {
        guard case .presence(.authenticationFailed)? = refusal({ try wrongKey.sign(digest: [1]) }) else {
          Issue.record("it signed")
          return
        }
      }
      #expect(try engine.load(created, unconstrained).sign(digest: [1]).count == 64)
    }
  }
#endif
