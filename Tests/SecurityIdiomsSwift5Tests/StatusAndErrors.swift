import Foundation
import LatchkeySwiftTesting
import Security
import Testing

extension OSStatus {
  /// Extensions that programs add to a status.
  fileprivate var error: NSError? {
    guard self != errSecSuccess else { return nil }
    let message = SecCopyErrorMessageString(self, nil) as String? ?? "Unknown error"
    return NSError(domain: NSOSStatusErrorDomain, code: Int(self), userInfo: [NSLocalizedDescriptionKey: message])
  }
}

extension CFError {
  fileprivate var isParameterError: Bool { CFErrorGetCode(self) == Int(errSecParam) }
}

/// How programs treat what a call answers.
@Suite(.temporaryKeychain) struct StatusAndErrors {
  private func describe(_ status: OSStatus) -> String {
    switch status {
    case errSecSuccess: "success"
    case errSecItemNotFound: "not found"
    case errSecDuplicateItem, errSecInteractionNotAllowed: "try otherwise"
    case OSStatus(errSecParam): "wrong"
    case let other: "\(other)"
    }
  }

  @Test func aSwitchOverTheStatus() {
    let query = [kSecClass as String: kSecClassGenericPassword as String]
    #expect(describe(SecItemDelete(query as CFDictionary)) == "not found")
    #expect(describe(SecItemDelete([:] as CFDictionary)) == "wrong")
    #expect(describe(-1) == "-1")
  }

  @Test func messages() {
    let message = SecCopyErrorMessageString(errSecItemNotFound, nil)
    #expect(message != nil && (message! as String).isEmpty == false)
    #expect(SecCopyErrorMessageString(12345, nil) as String? == nil)
    #expect(errSecAuthFailed.error?.domain == NSOSStatusErrorDomain)
    #expect(errSecSuccess.error == nil)
  }

  @Test func aRetainedErrorIsTaken() {
    var error: Unmanaged<CFError>?
    let access = SecAccessControlCreateWithFlags(
      kCFAllocatorDefault, kSecAttrAccessibleWhenUnlocked, [.biometryAny, .biometryCurrentSet], &error)
    #expect(access == nil)
    guard let failure = error?.takeRetainedValue() else {
      Issue.record("no error")
      return
    }
    #expect(failure.isParameterError)
    #expect((failure as Error).localizedDescription == CFErrorCopyDescription(failure) as String)
    #expect(throws: NSError.self) { throw failure as Error }
  }

  @Test func anErrorPassedThrough() {
    func make() throws -> SecAccessControl {
      var error: Unmanaged<CFError>?
      guard
        let access = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [.or, .and], &error)
      else { throw error!.takeRetainedValue() as Error }
      return access
    }
    #expect { try make() } throws: { ($0 as NSError).code == -50 }
  }

  @Test func aSwitchOverCoreFoundationStrings() {
    func name(_ itemClass: CFString) -> String {
      switch itemClass {
      case kSecClassGenericPassword: return "generic"
      case kSecClassInternetPassword: return "internet"
      default: return "other"
      }
    }
    #expect(name(kSecClassGenericPassword) == "generic")
    #expect(name("inet" as CFString) == "internet")
    #expect(name(kSecClassKey) == "other")
  }

  @Test func answersNobodyLooksAt() {
    var bytes = [UInt8](repeating: 0, count: 8)
    SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes)
    SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ignored"] as CFDictionary, nil)
    SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary)
    var error: Unmanaged<CFError>?
    SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [.or, .and], &error)
    #expect(error?.takeRetainedValue().code == -50)
  }
}
