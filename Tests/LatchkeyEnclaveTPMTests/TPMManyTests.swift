#if TPM
  import Crypto
  import LatchkeyEnclaveKeys
  @testable import LatchkeyEnclaveTPM
  import Foundation
  import LatchkeyKeychainModel
  import Synchronization
  import Testing

  @Suite("Many keys and many callers (swtpm)", .enabled(if: SoftwareTPM.isInstalled, "swtpm is not installed"))
  struct TPMManyTests {
    @Test("Hundreds of keys in turn, made, held and dropped, and never more than three objects")
    func hundreds() throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let made = try (0..<6).map { try engine.create($0 % 2 == 0 ? unconstrained : constrained) }
      func loaded(_ index: Int) throws -> any LoadedKey {
        try engine.load(made[index % 6], index % 2 == 0 ? unconstrained : constrained)
      }
      // Six at a time are held, each in turn is used, and dropped for a new one.
      var held = try (0..<6).map { try loaded($0) }
      for round in 0..<240 {
        let digest = SHA256.hash(data: Data("\(round)".utf8))
        let signature = try held[round % 6].sign(digest: Array(digest))
        let publicKey = try P256.Signing.PublicKey(x963Representation: made[round % 6].publicKey)
        #expect(publicKey.isValidSignature(try .init(rawRepresentation: signature), for: digest))
        if round % 3 == 0 { held[round % 6] = try loaded(round) }
      }
      let count = try engine.device.perform { (connection) throws(TPMFailure) in connection.slots.count }
      #expect((1...3).contains(count))
      held = []
      engine.device.disconnect()
      #expect(try tpm.run("tpm2_getcap", ["handles-transient"]).output == "")
      #expect(try tpm.run("tpm2_getcap", ["handles-loaded-session"]).output == "")
    }

    @Test("A key that nothing pushes out signs with one command, and one under a policy with two")
    func commands() throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      func count() throws -> Int {
        try engine.device.perform { (connection) throws(TPMFailure) in connection.commandCount }
      }
      for (control, expected) in [(unconstrained, 1), (constrained, 2)] {
        let key = try engine.load(try engine.create(control), control)
        _ = try key.sign(digest: [1])
        let before = try count()
        for _ in 0..<10 { _ = try key.sign(digest: [1]) }
        #expect(try count() - before == 10 * expected)
      }
    }

    @Test("Ten callers at once, each with its own key, get their own signatures")
    func tenCallers() async throws {
      let tpm = try SoftwareTPM()
      let engine = TPMEngine(tcti: tpm.tcti)
      let done = Atomic<Int>(0)
      // Threads of their own: the calls block.
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let group = DispatchGroup()
        for caller in 0..<10 {
          group.enter()
          Thread.detachNewThread {
            defer { group.leave() }
            do {
              let control = caller % 2 == 0 ? unconstrained : constrained
              let created = try engine.create(control)
              let publicKey = try P256.Signing.PublicKey(x963Representation: created.publicKey)
              let key = try engine.load(created, control)
              for round in 0..<5 {
                let digest = SHA256.hash(data: Data("\(caller) \(round)".utf8))
                let signature = try key.sign(digest: Array(digest))
                if publicKey.isValidSignature(try .init(rawRepresentation: signature), for: digest) {
                  done.add(1, ordering: .relaxed)
                }
              }
            } catch {
              Issue.record(error)
            }
          }
        }
        group.notify(queue: .global()) { continuation.resume() }
      }
      #expect(done.load(ordering: .relaxed) == 50)
    }
  }
#endif
