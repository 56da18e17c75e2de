import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import LatchkeyKeychainTesting
import Security
import Testing

/// Keys of the enclave that require consent, and how a call chooses the prompt.
@Suite("Consent to the use of keys")
struct SecKeyConsentTests {
  private let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256

  private func expectRefusal(_ status: OSStatus, by key: SecKey, _ location: SourceLocation = #_sourceLocation) {
    expectFailure(status, nil, location) { SecKeyCreateSignature(key, algorithm, letter as CFData, $0) }
  }

  @Test("without a context the user is asked at each use, with the prompt that the query names")
  func eachUse() throws {
    let guarded = try GuardedKeychain()
    try guarded.keychain.use {
      _ = try EnclaveKeys.made([.biometryAny, .privateKeyUsage])
      #expect(guarded.finger.timesAsked == 0, "making a key asks nobody")
      let key = try #require(EnclaveKeys.found([kSecUseOperationPrompt: "to pay"]))
      #expect(guarded.finger.timesAsked == 0, "finding a key asks nobody")
      let half = try Keys.publicHalf(key)
      #expect(Keys.isValid(try Keys.signature(letter, by: key), of: letter, by: half))
      #expect(Keys.isValid(try Keys.signature(letter, by: key), of: letter, by: half))
      #expect(guarded.finger.reasons == ["to pay", "to pay"])
    }
  }

  @Test("A context's consent is reused without another prompt until the context is invalidated")
  func held() throws {
    let guarded = try GuardedKeychain()
    try guarded.keychain.use {
      let context = try guarded.context()
      let made = try EnclaveKeys.made([.biometryAny, .privateKeyUsage], [kSecUseAuthenticationContext: context])
      for _ in 0..<3 { _ = try Keys.signature(letter, by: made) }
      #expect(guarded.finger.timesAsked == 1)
      let found = try #require(EnclaveKeys.found([kSecUseAuthenticationContext: context]))
      _ = try Keys.signature(letter, by: found)
      #expect(guarded.finger.timesAsked == 1)
      context.session.invalidate()
      expectRefusal(errSecAuthFailed, by: found)
      #expect(guarded.finger.timesAsked == 1)
    }
  }

  @Test("A caller that forbids prompts gets errSecInteractionNotAllowed")
  func noInteraction() throws {
    let guarded = try GuardedKeychain()
    try guarded.keychain.use {
      let made = try EnclaveKeys.made(
        [.biometryAny, .privateKeyUsage], [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail])
      expectRefusal(errSecInteractionNotAllowed, by: made)
      for more in [
        [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail], [kSecUseNoAuthenticationUI: true],
        [kSecUseNoAuthenticationUI: true, kSecUseAuthenticationUI: kSecUseAuthenticationUIAllow],
      ] as [Item] {
        let found = try #require(EnclaveKeys.found(more))
        expectRefusal(errSecInteractionNotAllowed, by: found)
      }
      #expect(guarded.finger.timesAsked == 0)
      let found = try #require(EnclaveKeys.found([kSecUseNoAuthenticationUI: false]))
      _ = try Keys.signature(letter, by: found)
      #expect(guarded.finger.timesAsked == 1)
    }
  }

  @Test("canceling and failing have their statuses, and leave the key usable")
  func refusals() throws {
    let guarded = try GuardedKeychain()
    try guarded.keychain.use {
      let key = try EnclaveKeys.made([.biometryAny, .privateKeyUsage])
      guarded.finger.append(.fails(.userCancel))
      expectRefusal(errSecUserCanceled, by: key)
      guarded.finger.unavailability = .biometryNotAvailable("the reader is gone")
      let (_, error) = attempt { SecKeyCreateSignature(key, algorithm, letter as CFData, $0) }
      #expect(error?.code == Int(errSecNotAvailable))
      guarded.finger.unavailability = nil
      _ = try Keys.signature(letter, by: key)
    }
  }

  @Test("without any biometry no key that wants it is made, and the error names LATCHKEY_PRESENCE")
  func unavailable() throws {
    let keychain = try TemporaryKeychain(passcode: "correct horse")
    keychain.use {
      for flags in [
        [.biometryAny, .privateKeyUsage], [.biometryCurrentSet, .privateKeyUsage],
        [.biometryAny, .devicePasscode, .and, .privateKeyUsage],
      ] as [SecAccessControlCreateFlags] {
        let (key, error) = attempt { SecKeyCreateRandomKey(try! EnclaveKeys.parameters(flags), $0) }
        #expect(key == nil && error?.code == Int(errSecNotAvailable))
        #expect(error?.localizedDescription.contains("LATCHKEY_PRESENCE") == true)
      }
      #expect(count([kSecClass: kSecClassKey]) == 0)
    }
  }

  @Test(
    "biometry that cannot be asked makes no key and stores no item, and the text says what is missing",
    arguments: [
      (.biometryNotAvailable("no reader: plug one in"), errSecNotAvailable),
      (.biometryNotEnrolled("no finger: enroll one"), errSecAuthFailed),
    ] as [(PresenceError, OSStatus)])
  func nobodyThere(reason: PresenceError, status: OSStatus) throws {
    let guarded = try GuardedKeychain()
    guarded.finger.unavailability = reason
    try guarded.keychain.use {
      for flags in [.biometryAny, .biometryCurrentSet] as [SecAccessControlCreateFlags] {
        let parameters = try EnclaveKeys.parameters([flags, .privateKeyUsage])
        let (key, error) = attempt { SecKeyCreateRandomKey(parameters, $0) }
        #expect(key == nil && error?.code == Int(status))
        #expect(error?.localizedDescription == reason.description)
        let item: Item = [
          kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a", kSecValueData: Data("secret".utf8),
          kSecAttrAccessControl: try EnclaveKeys.control(flags),
        ]
        #expect(SecItemAdd(item as CFDictionary, nil) == status)
      }
      #expect(count([kSecClass: kSecClassKey]) == 0 && count([kSecClass: kSecClassGenericPassword]) == 0)
      #expect(try guarded.keychain.database.allowedAuthenticators().isEmpty)
    }
  }

  @Test("the passcode is asked for where the control wants it; without one there is no such key")
  func passcode() throws {
    let guarded = try GuardedKeychain()
    try guarded.keychain.use {
      let key = try EnclaveKeys.made([.devicePasscode, .privateKeyUsage])
      _ = try Keys.signature(letter, by: key)
      #expect(guarded.user.questions.map(\.subject) == [.passcode])
      #expect(guarded.finger.timesAsked == 0)
      guarded.user.append(.fails(.userCancel))
      expectRefusal(errSecUserCanceled, by: key)
    }
    let open = try TemporaryKeychain()
    open.use {
      expectFailure(errSecAuthFailed) { SecKeyCreateRandomKey(try! EnclaveKeys.parameters(.userPresence), $0) }
    }
  }

  @Test("biometryCurrentSet: after another finger is enrolled the key is lost, and an app can ask so")
  func enrollment() throws {
    let guarded = try GuardedKeychain()
    try guarded.keychain.use {
      let key = try EnclaveKeys.made([.biometryCurrentSet, .privateKeyUsage])
      let stays = try EnclaveKeys.made(
        [.biometryAny, .privateKeyUsage], isPermanent: false)
      _ = try Keys.signature(letter, by: key)
      #expect(!SecKeyIsInvalidated(key))
      let asked = guarded.finger.timesAsked
      guarded.finger.enrolled = Array("another finger".utf8)
      #expect(SecKeyIsInvalidated(key) && !SecKeyIsInvalidated(stays))
      let found = try #require(EnclaveKeys.found())
      #expect(SecKeyIsInvalidated(found))
      expectRefusal(errSecAuthFailed, by: key)
      #expect(guarded.finger.timesAsked == asked, "nobody is asked for a key that is lost")
      #expect(SecKeyCopyPublicKey(key) != nil)
      _ = try Keys.signature(letter, by: stays)
    }
  }

  @Test("an object that is no context is refused, by all calls")
  func noContext() throws {
    let guarded = try GuardedKeychain()
    try guarded.keychain.use {
      _ = try EnclaveKeys.made([.biometryAny, .privateKeyUsage])
      for odd in [NSObject(), "context" as NSString, NSNull(), NSDictionary()] {
        let query = EnclaveKeys.query.merging([kSecUseAuthenticationContext: odd]) { $1 }
        #expect(find(query).status == errSecParam && add(query).status == errSecParam)
        #expect(update(query, [kSecAttrLabel: "x"]) == errSecParam && delete(query) == errSecParam)
      }
      #expect(EnclaveKeys.found() != nil)
    }
  }
}
