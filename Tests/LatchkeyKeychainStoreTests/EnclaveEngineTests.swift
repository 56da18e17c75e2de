import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

@Suite struct EnclaveEngineTests {
  private func settings(_ text: String?) throws(StoreError) -> ProcessSettings {
    var environment = ["LATCHKEY_KEYCHAIN": "temporary:"]
    environment["LATCHKEY_ENCLAVE"] = text
    return try ProcessSettings(environment: environment)
  }

  @Test("Software is the engine by name and by default") func softwareIsNamedAndTakenWhereNothingIsSaid() throws {
    guard case .software = try settings("software").engines else {
      Issue.record("not software")
      return
    }
    for text in [nil, ""] {
      guard case .automatic = try settings(text).engines else {
        Issue.record("not automatic")
        return
      }
    }
    #expect(EngineSet(.software).backend == .software)
    #expect(try EngineSet(.software).engine(for: .software).backend == .software)
  }

  @Test(
    "Any other text is an error that names the variable",
    arguments: ["Software", "software:", "tpm:", "tpm2", "tpms", " tpm", "hsm", ":"])
  func anyOtherTextIsAnErrorThatNamesTheVariable(text: String) {
    let error = failure { () throws(StoreError) in try settings(text) }
    #expect(error.fault == .configuration)
    #expect(error?.description.contains("LATCHKEY_ENCLAVE") == true)
  }

  #if TPM
    @Test("A TPM is named with or without its address") func aTPMIsNamedWithTheWayToItOrWithout() throws {
      guard case .tpm(nil) = try settings("tpm").engines,
        case .tpm("swtpm:host=localhost,port=1") = try settings("tpm:swtpm:host=localhost,port=1").engines
      else {
        Issue.record("not the TPM that was named")
        return
      }
    }
  #else
    @Test("A TPM in a build without the trait is an error that says so", arguments: ["tpm", "tpm:swtpm:port=1"])
    func aTPMInABuildWithoutTheTraitIsAnErrorThatSaysSo(text: String) {
      let error = failure { () throws(StoreError) in try settings(text) }
      #expect(error.fault == .configuration)
      #expect(error?.description.contains("trait TPM") == true)
    }

    @Test("A key of a TPM in a build without the trait is unavailable")
    func aTPMsKeyInABuildWithoutTheTraitIsUnavailable() {
      let error = failure { () throws(StoreError) in try EngineSet(.software).engine(for: .tpm2) }
      #expect(error.fault == .unavailable)
      #expect(error?.description.contains("trait TPM") == true)
    }
  #endif

  @Test("An engine is made once") func anEngineIsMadeOnce() throws {
    let set = EngineSet(.software)
    #expect(try set.engine(for: .software) === set.engine(for: .software))
  }

  @Test("The first of given engines makes new keys") func theFirstOfGivenEnginesMakesNewKeys() throws {
    let (a, b) = (RecordingEngine(backend: .tpm2), RecordingEngine())
    let set = EngineSet(.engines([a, b]))
    #expect(set.backend == .tpm2)
    #expect(try set.engine(for: .tpm2) === a)
    #expect(try set.engine(for: .software) === b)
  }

  @Test("A keychain has one enclave") func aKeychainHasOneEnclave() throws {
    let keychain = try StoreFolder().open()
    #expect(keychain.enclave != nil)
    #expect(keychain.enclave === keychain.enclave)
  }

  @Test("An enclave outlives its keychain harmlessly") func anEnclaveOutlivesItsKeychainHarmlessly() throws {
    var keychain: KeychainDatabase? = try StoreFolder().open()
    let enclave = try #require(keychain?.enclave)
    var key = try enclave.create(
      AccessControl(protection: .alwaysThisDeviceOnly, flags: .privateKeyUsage), consent: Consent())
    let digest = [UInt8](repeating: 7, count: 32)
    keychain = nil
    #expect(try enclave.sign(digest: digest, with: key, consent: Consent()).count == 64)
    key.reference = try PersistentReference(itemClass: .key, uuid: [UInt8](repeating: 1, count: 16))
    guard
      case .inputOutput? = failure({ () throws(StoreError) in
        try enclave.sign(digest: digest, with: key, consent: Consent())
      })
    else {
      Issue.record("a signature, or another error")
      return
    }
  }
}
