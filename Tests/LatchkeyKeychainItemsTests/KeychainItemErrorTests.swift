import Foundation
import LatchkeyKeychainItems
import Security
import Testing

@Suite struct KeychainItemErrorTests {
  @Test("Each status has an error of its own, and comes back") func eachStatusHasAnErrorOfItsOwnAndComesBack() {
    let statuses = [
      errSecItemNotFound, errSecDuplicateItem, errSecInteractionNotAllowed, errSecAuthFailed, errSecMissingEntitlement,
      errSecDecode, errSecWrongSecVersion, errSecDiskFull, errSecReadOnly, errSecNotAvailable, errSecParam,
      errSecNoSuchAttr, errSecUnimplemented, -1,
    ]
    let errors = statuses.compactMap { KeychainItemError(status: $0) }
    #expect(errors.map(\.status) == statuses)
    #expect(Set(errors).count == statuses.count)
    #expect(Set(errors.map(\.description)).count == statuses.count)
    #expect(KeychainItemError(status: errSecSuccess) == nil)
    #expect(KeychainItemError(status: errSecDataNotAvailable) == .unavailable)
  }

  @Test("Texts end as sentences") func textsEndAsSentences() {
    let errors: [KeychainItemError] = [
      .itemNotFound, .duplicateItem, .locked, .authenticationFailed, .missingEntitlement, .damaged, .wrongPassword,
      .emptyPassword, .encrypted, .notEncrypted, .newerFormat, .notAPropertyList, .unreadable(reason: "it is empty"),
      .notEncodable(type: "Int"), .notDecodable(type: "Int"), .diskFull, .readOnly, .unavailable, .status(errSecParam),
    ]
    for error in errors {
      #expect(error.description.hasSuffix("."))
      #expect(error.localizedDescription == error.description)
    }
    #expect(Set(errors.map(\.description)).count == errors.count)
  }
}
