public import Foundation
public import Security

/// Why a call on the keychain did not do what it was asked. No case, and no text, holds a secret.
///
/// Each case has one cause: what is not there is never reported as locked, a wrong password never as damage, and neither
/// ever as nothing found.
public enum KeychainItemError: Error, Hashable, Sendable {
  /// No such item (`errSecItemNotFound`). Reading calls return nil instead.
  case itemNotFound
  /// Such an item exists already (`errSecDuplicateItem`).
  case duplicateItem
  /// The keychain is locked (`errSecInteractionNotAllowed`): unlock it and call again.
  case locked
  /// A passcode is missing, wrong or delayed (`errSecAuthFailed`).
  case authenticationFailed
  /// The program's entitlements do not name the access group (`errSecMissingEntitlement`).
  case missingEntitlement
  /// The item, or an encrypted value in it, was altered (`errSecDecode`). There is nothing to read.
  case damaged
  /// The value is encrypted by another password.
  case wrongPassword
  /// A password of no characters protects nothing.
  case emptyPassword
  /// No passphrase was set for the calls that take none (``KeyChainManager/setPassphrase(_:)``).
  case noPassphrase
  /// The item holds an encrypted value: load it with its password.
  case encrypted
  /// The item's value is not encrypted: load it without a password.
  case notEncrypted
  /// The value, or the keychain, was written by a newer version (`errSecWrongSecVersion`).
  case newerFormat
  /// The value holds something that no property list does.
  case notAPropertyList
  /// The item holds bytes of another kind than was asked for; the reason says which.
  case unreadable(reason: String)
  /// A value of this type could not be encoded.
  case notEncodable(type: String)
  /// The item does not hold a value of this type.
  case notDecodable(type: String)
  /// There is no room on the disk (`errSecDiskFull`).
  case diskFull
  /// The keychain cannot be changed (`errSecReadOnly`).
  case readOnly
  /// The keychain cannot be opened, or not now (`errSecNotAvailable`, `errSecDataNotAvailable`).
  case unavailable
  /// Every other status.
  case status(OSStatus)
}

extension KeychainItemError {
  /// The error that `status` stands for; nil for success.
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

  /// The status that the error came from, or that comes nearest.
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
  /// What is wrong, and what helps, in a sentence.
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
