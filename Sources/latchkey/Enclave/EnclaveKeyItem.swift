import ArgumentParser
import Crypto
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// A key of the enclave as the keychain keeps it.
struct EnclaveKeyItem {
  let item: StoredItem
  let key: EnclaveKey

  var label: String {
    switch item.attributes[.label] {
    case .text(let text)?: text
    case .bytes(let bytes)?: String(decoding: bytes, as: UTF8.self)
    default: ""
    }
  }

  /// The first 16 digits of the SHA-256 of its public key.
  var fingerprint: String { Hexadecimal.encode(Array(SHA256.hash(data: key.publicKey)).prefix(8)) }

  /// The fields of every event about a key.
  var fields: [(key: String, value: JSONLine.Value)] {
    [
      ("label", .text(label)), ("fingerprint", .text(fingerprint)), ("backend", .text(key.backend.rawValue)),
      ("guards", .list(key.control.flags.guardNames.map { .text($0) })),
      ("accessible", .text(key.control.protection.commandName)),
    ]
  }

  /// The fields' names, for `--help`.
  static let help = "label, fingerprint, backend, guards, accessible"

  /// All keys that the caller sees, in the order of their making.
  static func all(in keychain: OpenKeychain, label: String? = nil, group: String? = nil) throws(StoreError)
    -> [EnclaveKeyItem]
  {
    var attributes: [ItemAttribute: AttributeValue] = [
      .tokenID: .text("com.apple.setoken"), .isPrivate: .number(1),
    ]
    if let label { attributes[.label] = .text(label) }
    var query = ItemQuery(
      .key, attributes: attributes, accessGroup: group, synchronizable: .any, limit: nil)
    query.wantsEnclaveKeys = true
    let items = try keychain.found(query).get()
    return items.compactMap { item in item.enclaveKey.map { EnclaveKeyItem(item: item, key: $0) } }
  }

  /// The one with this label.
  static func named(_ label: String, in keychain: OpenKeychain, group: String?) throws -> EnclaveKeyItem {
    let keys = try all(in: keychain, label: label, group: group)
    guard let key = keys.first else {
      throw CommandFailure(.itemNotFound, "there is no key with the label \(label): `latchkey enclave list` names them")
    }
    guard keys.count == 1 else {
      throw CommandFailure(
        .badData, code: "ambiguous", "\(keys.count) keys have the label \(label): give --access-group, or delete one")
    }
    return key
  }
}

/// The label of a key. It was a bare word before it was an option, and may be that still.
struct EnclaveLabel: ParsableArguments {
  @Option(help: "The key's label.") var label: String?
  @Argument(help: .hidden) var word: String?

  /// The label.
  var text: String { label ?? word ?? "" }
  /// A bare word that is not the label.
  var rest: String? { label == nil ? nil : word }

  func validate() throws {
    guard label != nil || word != nil else { throw ValidationError("give --label") }
  }

  /// - Throws: `ValidationError` if there is a word too many.
  func validateAlone() throws {
    if let rest { throw ValidationError("unexpected argument '\(rest)': --label names the key") }
  }
}

/// Which key, and where.
struct EnclaveKeyOptions: ParsableArguments {
  @OptionGroup var label: EnclaveLabel
  @Option(help: ArgumentHelp("The access group, one of those in LATCHKEY_ENTITLEMENTS.", valueName: "group"))
  var accessGroup: String?
  @OptionGroup var file: KeychainFile
  @OptionGroup var unlock: KeychainUnlock

  /// The keychain and the key.
  func find() throws -> (keychain: OpenKeychain, key: EnclaveKeyItem) {
    let keychain = try OpenKeychain(
      path: file.keychain, keyFile: file.keyFile, passcode: unlock.passcode, access: .findingItems)
    return (keychain, try EnclaveKeyItem.named(label.text, in: keychain, group: accessGroup))
  }
}

extension OpenKeychain {
  /// The keys that never leave.
  var enclave: any Enclave {
    get throws(StoreError) {
      guard let enclave = store.enclave else { throw .unavailable("this keychain has no enclave") }
      return enclave
    }
  }
}
