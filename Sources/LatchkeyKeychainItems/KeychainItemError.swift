public import Foundation
public import Security

/// The reason for the failure of a keychain call. No case, and no text, contains a secret.
///
/// Each case has one cause: a missing item is never reported as locked, a wrong password never as damage, and neither ever as a
/// missing item.
public enum KeychainItemError: Error, Hashable, Sendable {
  /// The item does not exist (`errSecItemNotFound`). Reading calls return nil instead.
  case itemNotFound
  /// The item exists already (`errSecDuplicateItem`).
  case duplicateItem
  /// The keychain is locked (`errSecInteractionNotAllowed`): unlock it and call again.
  case locked
  /// A passcode is missing, wrong or delayed (`errSecAuthFailed`).
  case authenticationFailed
  /// The program's entitlements do not name the access group (`errSecMissingEntitlement`).
  case missingEntitlement
  /// The item, or an encrypted value in it, was altered (`errSecDecode`). It cannot be read.
  case damaged
  /// The password is wrong: the value is encrypted by another one.
  case wrongPassword
  /// The password is empty, which protects nothing.
  case emptyPassword
  /// No passphrase was set for the calls without one (``KeyChainManager/setPassphrase(_:)``).
  case noPassphrase
  /// The item holds an encrypted value: load it with its password.
  case encrypted
  /// The item's value is not encrypted: load it without a password.
  case notEncrypted
  /// The value, or the keychain, was written by a newer version (`errSecWrongSecVersion`).
  case newerFormat
  /// The value contains something that no property list can hold.
  case notAPropertyList
  /// The item's data has another type than requested; the reason says which.
  case unreadable(reason: String)
  /// A value of this type could not be encoded.
  case notEncodable(type: String)
  /// The item does not hold a value of this type.
  case notDecodable(type: String)
  /// The disk is full (`errSecDiskFull`).
  case diskFull
  /// The keychain is read-only (`errSecReadOnly`).
  case readOnly
  /// The keychain cannot be opened, perhaps only for now (`errSecNotAvailable`, `errSecDataNotAvailable`).
  case unavailable
  /// Any other status.
  case status(OSStatus)
}

extension KeychainItemError {
  /// Creates the error of `status`; nil for success.
  public init?(status: OSStatus) {
    switch status {
    case errSecSuccess: return nil
    case errSecItemNotFound: self = .itemNotFound
    case errSecDuplicateItem: self = .duplicateItem
    case errSecInteractionNotAllowed: self = .locked
    case errSecAuthFailed: self = .authenticationFailed
    case errSecMissingEntitlement: self = .missingEntitlement
    case errSecDecode: self = .damaged
    case errSecWrongSecVersion: self = .newerFormat
    case errSecDiskFull: self = .diskFull
    case errSecReadOnly: self = .readOnly
    case errSecNotAvailable, errSecDataNotAvailable: self = .unavailable
    default: self = .status(status)
    }
  }

  /// The error's status, or the nearest one.
  public var status: OSStatus {
    switch self {
    case .itemNotFound: errSecItemNotFound
    case .duplicateItem: errSecDuplicateItem
    case .locked: errSecInteractionNotAllowed
    case .authenticationFailed, .wrongPassword: errSecAuthFailed
    case .missingEntitlement: errSecMissingEntitlement
    case .damaged, .unreadable, .notDecodable, .encrypted, .notEncrypted: errSecDecode
    case .emptyPassword, .noPassphrase, .notAPropertyList, .notEncodable: errSecParam
    case .newerFormat: errSecWrongSecVersion
    case .diskFull: errSecDiskFull
    case .readOnly: errSecReadOnly
    case .unavailable: errSecNotAvailable
    case .status(let status): status
    }
  }
}

extension KeychainItemError: CustomStringConvertible, LocalizedError {
  /// The reason and the remedy, in a sentence.
  public var description: String {
    switch self {
    case .itemNotFound: "There is no such item."
    case .duplicateItem: "Such an item exists already: update it instead."
    case .locked: "The keychain is locked: unlock it and call again."
    case .authenticationFailed: "The passcode is missing or was not accepted."
    case .missingEntitlement: "The program's entitlements do not name this access group: add it there."
    case .damaged: "The item was altered, and cannot be read."
    case .wrongPassword: "The password is not the one that this value was encrypted with."
    case .emptyPassword: "A password needs at least one character."
    case .noPassphrase: "No passphrase is set: call KeyChainManager.setPassphrase once, or name a password."
    case .encrypted: "The value is encrypted: load it with its password."
    case .notEncrypted: "The value is not encrypted: load it without a password."
    case .newerFormat: "A newer version has written this: read it with that version."
    case .notAPropertyList: "Only texts, numbers, data, dates, arrays and dictionaries of them can be kept."
    case .unreadable(let reason): "The item holds something else than was asked for: \(reason)."
    case .notEncodable(let type): "A value of the type \(type) could not be encoded."
    case .notDecodable(let type): "The item does not hold a value of the type \(type)."
    case .diskFull: "There is no room on the disk."
    case .readOnly: "The keychain cannot be changed: its file is read-only."
    case .unavailable: "The keychain cannot be opened now."
    case .status(let status): SecCopyErrorMessageString(status, nil) as String? ?? "The keychain answered \(status)."
    }
  }

  /// The same as `description`.
  public var errorDescription: String? { description }
}
