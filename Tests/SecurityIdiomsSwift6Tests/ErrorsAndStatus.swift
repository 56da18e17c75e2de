import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// The error type that most wrappers have.
private enum KeychainError: Error, LocalizedError, Equatable {
  case notFound
  case duplicate
  case unhandled(OSStatus)

  init(_ status: OSStatus) {
    switch status {
    case errSecItemNotFound: self = .notFound
    case errSecDuplicateItem: self = .duplicate
    default: self = .unhandled(status)
    }
  }

  var errorDescription: String? {
    guard case .unhandled(let status) = self else { return nil }
    return SecCopyErrorMessageString(status, nil) as String?
  }
}

extension OSStatus {
  fileprivate var isSuccess: Bool { self == errSecSuccess }
  fileprivate func orThrow() throws { if !isSuccess { throw KeychainError(self) } }
}

@Suite(.temporaryKeychain) struct ErrorsAndStatus {
  private let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "errors"]

  @Test func statusesBecomeErrors() throws {
    #expect(throws: KeychainError.notFound) { try SecItemDelete(query as CFDictionary).orThrow() }
    try SecItemAdd(query as CFDictionary, nil).orThrow()
    #expect(throws: KeychainError.duplicate) { try SecItemAdd(query as CFDictionary, nil).orThrow() }
    #expect(throws: KeychainError.unhandled(errSecParam)) { try SecItemAdd([:] as CFDictionary, nil).orThrow() }
    #expect(KeychainError(errSecAuthFailed).localizedDescription.isEmpty == false)
  }

  @Test func aStatusAsACocoaError() {
    let error = NSError(domain: NSOSStatusErrorDomain, code: Int(SecItemDelete(query as CFDictionary)))
    #expect(OSStatus(error.code) == errSecItemNotFound)
    #expect(error.domain == kCFErrorDomainOSStatus as String)
  }

  @Test func acceptableStatuses() {
    let accepted: Set<OSStatus> = [errSecSuccess, errSecItemNotFound]
    #expect(accepted.contains(SecItemDelete(query as CFDictionary)))
    #expect([errSecSuccess, noErr].allSatisfy { $0 == 0 })
  }

  @Test func anErrorIsTakenAndThrown() throws {
    func access(_ flags: SecAccessControlCreateFlags) throws -> SecAccessControl {
      var error: Unmanaged<CFError>?
      guard let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, &error) else {
        throw error!.takeRetainedValue() as any Error
      }
      return control
    }
    _ = try access(.privateKeyUsage)
    #expect { try access([.userPresence, .biometryCurrentSet]) } throws: { error in
      let error = error as NSError
      return error.domain == NSOSStatusErrorDomain && error.code == Int(errSecParam)
    }
  }

  @Test func flagsAreBuiltUp() {
    var flags: SecAccessControlCreateFlags = .biometryCurrentSet
    flags.insert(.or)
    flags.formUnion(.devicePasscode)
    #expect(flags == [.biometryCurrentSet, .or, .devicePasscode])
    #expect(flags.contains(.or) && !flags.contains(.and))
    #expect(SecAccessControlCreateFlags(rawValue: flags.rawValue) == flags)
  }

  @Test func aConstrainedItemIsRefusedForNow() {
    var query = self.query
    query[kSecAttrAccessControl] = SecAccessControlCreateWithFlags(
      nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .userPresence, nil)
    query[kSecValueData] = Data()
    #expect(SecItemAdd(query as CFDictionary, nil) != errSecSuccess)
  }
}
