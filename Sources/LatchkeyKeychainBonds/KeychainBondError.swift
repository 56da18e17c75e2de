import LatchkeyBluetoothHost
import Security

/// Why a pairing is not read from the keychain, or not stored in it.
enum KeychainBondError: Error, Equatable, CustomStringConvertible {
  /// The keychain is locked.
  case locked
  /// There is no room for another pairing.
  case full
  /// An item is there that could not be read when the host was created.
  case unread
  /// Other processes replace the item all the time.
  case contended
  /// Data of an item are not what this program stored there.
  case damaged(account: String, reason: String)
  /// A newer version of this program stored the item. It stays as it is.
  case newerVersion(account: String, found: UInt8, known: UInt8)
  /// Any other status of the keychain.
  case other(OSStatus)

  /// The error of a status.
  init(status: OSStatus) { self = status == errSecInteractionNotAllowed ? .locked : .other(status) }

  /// The error of an item whose data are not read.
  init(_ error: StoredFileError, account: String) {
    switch error {
    case .damaged(let cause): self = .damaged(account: account, reason: "\(cause)")
    case .newerVersion(let found, let known): self = .newerVersion(account: account, found: found, known: known)
    }
  }

  var status: OSStatus {
    switch self {
    case .locked: errSecInteractionNotAllowed
    case .full: errSecDiskFull
    case .unread, .contended: errSecDuplicateItem
    case .damaged: errSecDecode
    case .newerVersion: errSecUnsupportedFormat
    case .other(let status): status
    }
  }

  /// Whether one item is damaged, be it for the keychain or for this module.
  var isDamage: Bool { status == errSecDecode }

  var description: String {
    switch self {
    case .locked:
      "the keychain is locked: unlock it, then start this program again; the pairings in it are kept"
    case .full:
      "the keychain has \(StoredBonds.capacity) pairings: remove some, which are generic passwords of the service \"\(BondItems.service)\""
    case .unread:
      "the keychain has a pairing with this device, which could not be read before: start this program again"
    case .contended: "other programs change this pairing in the keychain"
    case .damaged(let account, let reason):
      "the keychain's item \"\(account)\" is damaged (\(reason))"
    case .newerVersion(let account, let found, let known):
      "the keychain's item \"\(account)\" has version \(found), and this program knows \(known): use the program that stored it, or remove the item"
    case .other(let status):
      "the keychain answers \(status): \(SecCopyErrorMessageString(status, nil) as String? ?? "an unknown status")"
    }
  }
}
