import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import Security
import Testing

/// Row 63 (Apple's secd-81-item-acl): items with constraints.
@Suite("Checklist: constraints")
struct ChecklistConstraintTests {
  private func item(_ flags: SecAccessControlCreateFlags) throws -> Item {
    password("ada", [kSecValueData: letter, kSecAttrAccessControl: try EnclaveKeys.control(flags)])
  }

  @Test("row 63: found without authentication it is errSecAuthFailed; it is deleted all the same")
  func constrained() throws {
    let guarded = try GuardedKeychain()
    try guarded.keychain.use {
      let constrained = try item(.biometryAny)
      #expect(add(constrained).status == errSecSuccess)
      guarded.finger.append(.refused, .refused, .refused, .refused, .refused)
      let refused = find(password("ada"), returning: [kSecReturnData: true])
      #expect(refused.status == errSecAuthFailed && refused.object == nil)
      #expect(attributes(password("ada"))?["acct"] as? String == "ada", "attributes alone need no consent")
      #expect(delete(password("ada")) == errSecSuccess)
      #expect(count(password("ada")) == 0)
    }
  }

  @Test("with consent it is read; a context is asked once; the prompt is the query's")
  func consent() throws {
    let guarded = try GuardedKeychain()
    try guarded.keychain.use {
      let constrained = try item(.biometryAny)
      #expect(add(constrained).status == errSecSuccess)
      #expect(secret(password("ada", [kSecUseOperationPrompt: "to read"])) == letter)
      #expect(guarded.finger.reasons == ["to read"])
      let context = try guarded.context()
      for _ in 0..<3 { #expect(secret(password("ada", [kSecUseAuthenticationContext: context])) == letter) }
      #expect(guarded.finger.timesAsked == 2)
    }
  }

  @Test("kSecUseAuthenticationUI: fail refuses, skip leaves out, and only a search may skip")
  func interaction() throws {
    let guarded = try GuardedKeychain()
    try guarded.keychain.use {
      let constrained = try item(.biometryAny)
      #expect(add(constrained).status == errSecSuccess)
      #expect(add(password("bob", [kSecValueData: otherLetter])).status == errSecSuccess)
      let all: Item = [kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]
      let query: Item = [kSecClass: kSecClassGenericPassword]
      let failing = query.merging([kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]) { $1 }
      #expect(find(failing, returning: all).status == errSecInteractionNotAllowed)
      let skipping = query.merging([kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]) { $1 }
      #expect(find(skipping, returning: all).array as? [Data] == [otherLetter])
      #expect(add(password("eve", [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip])).status == errSecParam)
      #expect(delete(skipping) == errSecParam && update(skipping, [kSecAttrLabel: "x"]) == errSecParam)
      #expect(guarded.finger.timesAsked == 0)
    }
  }

  @Test("A search with filters beyond the keychain's prompts only for the items that it returns")
  func evaluatedFirst() throws {
    let guarded = try GuardedKeychain()
    try guarded.keychain.use {
      let constrained = try item(.biometryAny).merging([kSecAttrLabel: "Café"]) { $1 }
      #expect(add(constrained).status == errSecSuccess)
      let other = password("bob", [kSecValueData: otherLetter, kSecAttrLabel: "Tea"])
        .merging([kSecAttrAccessControl: try EnclaveKeys.control(.biometryAny)]) { $1 }
      #expect(add(other).status == errSecSuccess)
      let query: Item = [
        kSecClass: kSecClassGenericPassword, kSecAttrLabel: "Cafe", kSecMatchDiacriticInsensitive: true,
      ]
      #expect(secret(query) == letter)
      #expect(guarded.finger.timesAsked == 1)
    }
  }

  @Test("without biometry nothing is stored under it, and nothing is silently guarded by less")
  func unavailable() throws {
    let keychain = try TemporaryKeychain(passcode: "correct horse")
    try keychain.use {
      let constrained = try item(.biometryAny)
      #expect(add(constrained).status == errSecNotAvailable)
      #expect(add(password("bob")).status == errSecSuccess)
      let control = try EnclaveKeys.control(.biometryCurrentSet)
      #expect(update(password("bob"), [kSecAttrAccessControl: control]) == errSecNotAvailable)
      #expect(count([kSecClass: kSecClassGenericPassword]) == 1)
    }
  }

  @Test("a private key in the open under constraints is found with consent alone")
  func openKey() throws {
    let guarded = try GuardedKeychain()
    try guarded.keychain.use {
      let control = try EnclaveKeys.control(.biometryAny)
      let key = try Keys.made(
        .curve(256),
        [
          kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true, kSecAttrAccessControl: control] as Item
        ])
      let query: Item = [kSecClass: kSecClassKey, kSecReturnRef: true]
      guarded.finger.append(.fails(.userCancel))
      #expect(find(query).status == errSecUserCanceled)
      #expect(find(query).object as? SecKey == key)
      #expect(guarded.finger.timesAsked == 2)
    }
  }
}
