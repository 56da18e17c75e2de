import LatchkeyKeychainTesting
import Security
import Testing

@Test func aLockedKeychainIsNoMissingItem() throws {
  let keychain = try TemporaryKeychain(passcode: "1234")
  keychain.use {
    let item: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "session"]
    #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    keychain.lock()
    #expect(SecItemCopyMatching(item as CFDictionary, nil) == errSecInteractionNotAllowed)
  }
}
