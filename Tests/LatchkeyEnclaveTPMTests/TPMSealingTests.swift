#if TPM
  import LatchkeyEnclaveKeys
  @testable import LatchkeyEnclaveTPM
  import Foundation
  import LatchkeyKeychainModel
  import Testing

  @Suite("Root keys sealed in a TPM (swtpm)", .enabled(if: SoftwareTPM.isInstalled, "swtpm is not installed"))
  struct TPMSealingTests {
    private let secret = Array(UInt8(0)..<32)
    private let authorization = [UInt8](repeating: 0xA5, count: 32)

    @Test("A sealed key opens again, in another process of the TPM, too")
    func opens() throws {
      let tpm = try SoftwareTPM()
      let sealer = TPMRootSealer(device: TPMDevice(tcti: tpm.tcti))
      let plain = try sealer.seal(secret, authorization: nil)
      let guarded = try sealer.seal(secret + secret, authorization: authorization)
      #expect(try sealer.unseal(plain, authorization: nil) == secret)
      try tpm.restart()
      let later = TPMRootSealer(device: TPMDevice(tcti: tpm.tcti))
      #expect(try later.unseal(plain, authorization: nil) == secret)
      #expect(try later.unseal(guarded, authorization: authorization) == secret + secret)
      // The secret is not in the stored bytes.
      #expect(Data(plain).range(of: Data(secret)) == nil && Data(guarded).range(of: Data(secret)) == nil)
    }

    @Test("A wrong authorization is counted, until the TPM locks itself")
    func wrongAuthorization() throws {
      let tpm = try SoftwareTPM()
      let device = TPMDevice(tcti: tpm.tcti)
      for registers in [Set<Int>(), [16]] {
        let sealer = TPMRootSealer(device: device, registers: registers)
        let sealed = try sealer.seal(secret, authorization: authorization)
        var errors: [StoreError] = []
        for _ in 0..<4 {
          do {
            _ = try sealer.unseal(sealed, authorization: Array(repeating: 1, count: 32))
          } catch {
            errors.append(error)
          }
        }
        #expect(
          errors == [
            .wrongPasscode(attemptsBeforeDelay: 2), .wrongPasscode(attemptsBeforeDelay: 1),
            .wrongPasscode(attemptsBeforeDelay: 0), .passcodeDelayed(seconds: 1000),
          ])
        #expect(throws: StoreError.passcodeDelayed(seconds: 1000)) {
          try sealer.unseal(sealed, authorization: authorization)
        }
        device.disconnect()
        #expect(try tpm.run("tpm2_dictionarylockout", ["--clear-lockout"]).code == 0)
        #expect(try sealer.unseal(sealed, authorization: authorization) == secret)
      }
    }

    @Test("After another start it does not open, and says which registers changed")
    func registers() throws {
      let tpm = try SoftwareTPM()
      let device = TPMDevice(tcti: tpm.tcti)
      let sealer = TPMRootSealer(device: device, registers: [0, 16, 23])
      let plain = try sealer.seal(secret, authorization: nil)
      let guarded = try sealer.seal(secret, authorization: authorization)
      #expect(try sealer.unseal(plain, authorization: nil) == secret)
      #expect(try sealer.unseal(guarded, authorization: authorization) == secret)
      device.disconnect()
      #expect(try tpm.run("tpm2_pcrextend", ["16:sha256=" + String(repeating: "ab", count: 32)]).code == 0)
      func reason(_ sealed: [UInt8], _ value: [UInt8]?) -> String {
        if case .rootKeyUnavailable(let text)? = refusal({ try sealer.unseal(sealed, authorization: value) }) {
          text
        } else {
          "it opened"
        }
      }
      #expect(reason(plain, nil).contains("registers changed: 16."))
      #expect(reason(guarded, authorization).contains("registers changed: 16."))
      // As before: register 16 is the one for debugging, which can be put back.
      device.disconnect()
      #expect(try tpm.run("tpm2_pcrreset", ["16"]).code == 0)
      #expect(try sealer.unseal(plain, authorization: nil) == secret)
      #expect(try sealer.unseal(guarded, authorization: authorization) == secret)
    }

    @Test("Another TPM's root key and an altered one are refused")
    func foreign() throws {
      let tpm = try SoftwareTPM()
      let other = try SoftwareTPM()
      let sealer = TPMRootSealer(device: TPMDevice(tcti: tpm.tcti), registers: [7])
      let elsewhere = try TPMRootSealer(device: TPMDevice(tcti: other.tcti), registers: [7])
        .seal(secret, authorization: nil)
      let sealed = try sealer.seal(secret, authorization: nil)
      func isUnavailable(_ bytes: [UInt8], _ authorization: [UInt8]? = nil) -> Bool {
        do {
          _ = try sealer.unseal(bytes, authorization: authorization)
          return false
        } catch .rootKeyUnavailable {
          return true
        } catch {
          return false
        }
      }
      #expect(isUnavailable(elsewhere))
      #expect(isUnavailable(sealed, authorization))
      #expect(isUnavailable([]))
      for index in stride(from: 0, to: sealed.count, by: 7) {
        var changed = sealed
        changed[index] ^= 0x10
        #expect(throws: StoreError.self, "\(index)") { try sealer.unseal(changed, authorization: nil) }
      }
      #expect(try sealer.unseal(sealed, authorization: nil) == secret)
    }

    @Test("A value that cannot be sealed is refused")
    func limits() throws {
      let tpm = try SoftwareTPM()
      let sealer = TPMRootSealer(device: TPMDevice(tcti: tpm.tcti))
      #expect(throws: StoreError.self) { try sealer.seal([], authorization: nil) }
      #expect(throws: StoreError.self) { try sealer.seal(Array(repeating: 0, count: 65), authorization: nil) }
      #expect(throws: StoreError.self) { try sealer.seal([1], authorization: [1]) }
    }
  }

  @Suite("Counters in a TPM (swtpm)", .enabled(if: SoftwareTPM.isInstalled, "swtpm is not installed"))
  struct TPMCounterTests {
    private let authorization = [UInt8](repeating: 0x5A, count: 32)

    @Test("It only grows, over restarts and after it was deleted, too")
    func grows() throws {
      let tpm = try SoftwareTPM()
      let counter = try TPMCounter.create(on: TPMDevice(tcti: tpm.tcti), authorization: authorization)
      #expect((0x0180_4C00...0x0180_4FFF).contains(counter.handle))
      let first = try counter.value()
      #expect(try counter.increment() == first + 1)
      #expect(try counter.value() == first + 1)
      #expect(try counter.increment() == first + 2)
      try tpm.restart()
      let device = TPMDevice(tcti: tpm.tcti)
      let later = TPMCounter(device: device, handle: counter.handle, authorization: authorization)
      let afterwards = try later.value()
      #expect(afterwards >= first + 2)
      try later.delete()
      if case .hardware(let text)? = refusal({ try later.value() }) {
        #expect(text.contains("is not there"))
      } else {
        Issue.record("it is there")
      }
      let again = try TPMCounter.create(on: device, authorization: authorization)
      #expect(try again.value() > afterwards)
    }

    @Test("Reading and incrementing require the authorization, and a handle in use is refused")
    func guarded() throws {
      let tpm = try SoftwareTPM()
      let device = TPMDevice(tcti: tpm.tcti)
      let counter = try TPMCounter.create(on: device, at: 0x0180_1234, authorization: authorization)
      let value = try counter.value()
      let stranger = TPMCounter(device: device, handle: 0x0180_1234, authorization: Array(repeating: 0, count: 32))
      for attempt in [stranger.value, stranger.increment] {
        if case .hardware(let text)? = refusal({ try attempt() }) {
          #expect(text.contains("refuses"), "\(text)")
        } else {
          Issue.record("it was let in")
        }
      }
      #expect(try counter.value() == value)
      #expect(throws: StoreError.self) {
        try TPMCounter.create(on: device, at: 0x0180_1234, authorization: authorization)
      }
      #expect(throws: StoreError.self) {
        try TPMCounter.create(on: device, at: 0x0140_0000, authorization: authorization)
      }
      device.disconnect()
      // Owner or not: no password, no increment.
      #expect(try tpm.run("tpm2_nvincrement", ["-C", "o", "0x1801234"]).code != 0)
      #expect(try tpm.run("tpm2_nvincrement", ["-C", "0x1801234", "0x1801234"]).code != 0)
      #expect(try counter.value() == value)
    }
  }
#endif
