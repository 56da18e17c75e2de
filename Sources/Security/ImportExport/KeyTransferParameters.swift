internal import Foundation
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// The parsed ``SecItemImportExportKeyParameters``.
struct KeyTransferParameters {
  /// The passphrase, empty or not; nil if there is none.
  private(set) var passphrase: String?
  /// The usage of imported keys, as attributes.
  private(set) var usage: [ItemAttribute: AttributeValue] = [:]

  /// - Throws: `errSecParam` for a passphrase that is neither a string nor data in UTF-8, one beside
  ///   ``SecKeyImportExportFlags/securePassphrase``, and for an unknown usage or attribute; `errSecInvalidKeychain` for a permanent
  ///   key.
  init(_ parameters: UnsafePointer<SecItemImportExportKeyParameters>?) throws(ImportFault) {
    guard let parameters = parameters?.pointee else { return }
    if let given = parameters.passphrase?.takeUnretainedValue() {
      switch given {
      case let text as String: passphrase = text
      case let data as Data:
        guard let text = String(validating: data, as: UTF8.self) else { throw ImportFault(status: errSecParam) }
        passphrase = text
      default: throw ImportFault(status: errSecParam)
      }
      if parameters.flags.contains(.securePassphrase) { throw ImportFault(status: errSecParam) }
    }
    if let given = parameters.keyUsage?.takeUnretainedValue() {
      guard let names = given as? [String] else { throw ImportFault(status: errSecParam) }
      for attribute in Self.usages { usage[attribute] = .number(0) }
      for name in names {
        guard let attribute = ItemAttribute(key: name), Self.usages.contains(attribute) else {
          throw ImportFault(status: errSecParam)
        }
        usage[attribute] = .number(1)
      }
    }
    if let given = parameters.keyAttributes?.takeUnretainedValue() {
      guard let names = given as? [String] else { throw ImportFault(status: errSecParam) }
      let known = [kSecAttrIsPermanent, kSecAttrIsSensitive, kSecAttrIsExtractable].map { $0 as String }
      guard names.allSatisfy(known.contains) else { throw ImportFault(status: errSecParam) }
      if names.contains(kSecAttrIsPermanent as String) { throw ImportFault(status: errSecInvalidKeychain) }
    }
  }

  /// The passphrase.
  ///
  /// - Throws: `errSecPassphraseRequired` without one.
  func neededPassphrase() throws(ImportFault) -> String {
    guard let passphrase else { throw ImportFault(status: errSecPassphraseRequired) }
    return passphrase
  }

  private static let usages: [ItemAttribute] = [
    .canEncrypt, .canDecrypt, .canDerive, .canSign, .canVerify, .canWrap, .canUnwrap,
  ]
}
