#if TPM
  import Crypto
  import LatchkeyEnclaveKeys
  @testable import LatchkeyEnclaveTPM
  import Foundation
  import LatchkeyKeychainModel
  import Synchronization
  import Testing

  @Suite("When a TPM goes away (swtpm)", .enabled(if: SoftwareTPM.isInstalled, "swtpm is not installed"))
  struct TPMFailureTests {
    private func handles(_ tpm: SoftwareTPM, _ kind: String) throws -> String {
      try tpm.run("tpm2_getcap", [kind]).output
    }

    @Test("No TPM at the address: hardware, and what to do")
    func nowhere() throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      tpm.kill()
      if case .hardware(let text)? = refusal({ try engine.create(unconstrained) }) {
        #expect(text.contains("there is no TPM at swtpm:") && text.contains("/dev/tpmrm0"))
      } else {
        Issue.record("it made a key")
      }
      for tcti in ["", "nonsense:x", "device:/dev/does-not-exist", "swtpm:port=99999"] {
        guard case .hardware? = refusal({ try TPMDevice(tcti: tcti).probe() }) else {
          Issue.record("\(tcti)")
          return
        }
      }
    }

    @Test("The power goes between two uses: the next call says so, and the one after works again")
    func powerCut() throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let stored = try engine.create(unconstrained)
      let held = try engine.load(stored, unconstrained)
      _ = try held.sign(digest: [1])
      // Made, and never stored: the TPM has nothing of it.
      _ = try engine.create(constrained)
      tpm.kill()
      if case .hardware(let text)? = refusal({ try held.sign(digest: [1]) }) {
        #expect(text.contains("the connection to the TPM was lost"))
      } else {
        Issue.record("it signed")
      }
      if case .hardware(let text)? = refusal({ try held.sign(digest: [1]) }) {
        #expect(text.contains("there is no TPM at"))
      } else {
        Issue.record("it signed")
      }
      try tpm.restart()
      #expect(try handles(tpm, "handles-transient") == "")
      #expect(try handles(tpm, "handles-persistent") == "")
      #expect(try handles(tpm, "handles-nv-index") == "")
      #expect(try handles(tpm, "handles-loaded-session") == "")
      // Another program, later, with what was stored.
      let later = TPMEngine(tcti: tpm.tcti)
      let digest = SHA256.hash(data: Data("later".utf8))
      let signature = try later.load(stored, unconstrained).sign(digest: Array(digest))
      #expect(
        try P256.Signing.PublicKey(x963Representation: stored.publicKey)
          .isValidSignature(P256.Signing.ECDSASignature(rawRepresentation: signature), for: digest))
    }

    @Test("A TPM that comes back at the same address serves the keys that are held")
    func comesBack() throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let free = try engine.load(try engine.create(unconstrained), unconstrained)
      let guarded = try engine.load(try engine.create(constrained), constrained)
      _ = try guarded.sign(digest: [1])
      // The data connection breaks, the TPM is reset: all that was loaded is gone.
      #expect(try tpm.run("swtpm_ioctl", ["--tcp", "127.0.0.1:\(tpm.port + 1)", "-i"]).code == 0)
      for key in [free, guarded] {
        #expect(try key.sign(digest: [2]).count == 64)
      }
    }

    @Test("Killed in the middle of a call: hardware, in time, for calls that wait in line, too, and the process lives")
    func killedMidCall() async throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let key = try engine.load(try engine.create(unconstrained), unconstrained)
      // It stands still, so that the call is on its way for certain; then it is killed. Threads of their own: calls block.
      tpm.signal(SIGSTOP)
      let started = DispatchSemaphore(value: 0)
      let ended = DispatchGroup()
      let errors = Mutex<[StoreError?]>([])
      for _ in 0..<3 {
        ended.enter()
        Thread.detachNewThread {
          started.signal()
          let error = refusal { try key.sign(digest: [1]) }
          errors.withLock { $0.append(error) }
          ended.leave()
        }
      }
      for _ in 0..<3 { started.wait() }
      tpm.kill()
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        ended.notify(queue: .global()) { continuation.resume() }
      }
      let found = errors.withLock { $0 }
      #expect(found.count == 3)
      for error in found {
        guard case .hardware? = error else {
          Issue.record("\(String(describing: error))")
          continue
        }
      }
    }

    @Test("Leftovers of killed programs do not fill the TPM")
    func leftovers() throws {
      let tpm = try SoftwareTPM()
      // tpm2-tools leave what they load: three objects fill the TPM.
      for index in 0..<3 {
        #expect(try tpm.run("tpm2_createprimary", ["-C", "o", "-G", "ecc", "-c", "context\(index)"]).code == 0)
      }
      #expect(try handles(tpm, "handles-transient").split(separator: "\n").count == 3)
      for index in 0..<3 {
        #expect(try tpm.run("tpm2_startauthsession", ["-S", "session\(index)"]).code == 0)
      }
      let engine = TPMEngine(tcti: tpm.tcti)
      let key = try engine.load(try engine.create(constrained), constrained)
      #expect(try key.sign(digest: [1]).count == 64)
    }

    @Test("At the end nothing is left in the TPM")
    func flushesAll() throws {
      let tpm = try SoftwareTPM()
      do {
        let engine = TPMEngine(tcti: tpm.tcti)
        let key = try engine.load(try engine.create(constrained), constrained)
        _ = try key.sign(digest: [1])
        _ = try key.attest(challenge: [1])
        engine.device.disconnect()
        #expect(try handles(tpm, "handles-transient") == "")
        #expect(try handles(tpm, "handles-loaded-session") == "")
        _ = try key.sharedSecret(with: Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation))
      }
      #expect(try handles(tpm, "handles-transient") == "")
      #expect(try handles(tpm, "handles-loaded-session") == "")
      #expect(try handles(tpm, "handles-saved-session") == "")
    }
  }
#endif
