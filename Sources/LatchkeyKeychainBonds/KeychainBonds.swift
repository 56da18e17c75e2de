internal import CoreBluetooth
public import Security

/// Stores the pairings of this program's Bluetooth devices in the keychain, in place of a file.
///
/// Call ``use(accessGroup:)`` once, before the first manager:
///
/// ```swift
/// import CoreBluetooth
/// import LatchkeyKeychainBonds
///
/// let status = KeychainBonds.use()
/// guard status == errSecSuccess else { fatalError("The keychain answers \(status).") }
/// let manager = CBCentralManager(delegate: delegate, queue: nil)
/// ```
///
/// Each pairing is a generic password of the service ``service``. A program lists and removes them by `SecItem…`, as any
/// other items; managers that run meanwhile have their pairings until the program ends.
public enum KeychainBonds {
  /// The service (`kSecAttrService`) of the items, one for each pairing.
  public static let service = BondItems.service

  /// Stores the pairings of all controllers that this program opens from now on in the keychain.
  ///
  /// A controller that a manager uses already keeps its store, and managers with the same controller share it: call this
  /// before the first manager. The pairings of a virtual radio inside the process still end with the process. Pairings in
  /// the file of before are not moved: those devices are to be paired again.
  ///
  /// The choice holds whatever the status is, so that no pairing is stored in a file by mistake. A host reads its pairings
  /// once, when its controller is opened. If it cannot, it has none, the log says so, and it replaces none of them.
  ///
  /// - Parameter accessGroup: the access group of the items; nil for the program's first one.
  /// - Returns: `errSecSuccess` if the keychain can be read now; `errSecInteractionNotAllowed` if it is locked since the
  ///   system started: unlock it, then create the first manager; `errSecMissingEntitlement` if the program's entitlements
  ///   do not name the access group; `errSecNotAvailable` and other statuses of a keychain that cannot be opened or read.
  @discardableResult
  public static func use(accessGroup: String? = nil) -> OSStatus {
    BondStores.current.use { KeychainBondStore(local: $0, accessGroup: accessGroup) }
    do throws(KeychainBondError) {
      _ = try BondItems(service: service, accessGroup: accessGroup).accounts()
      return errSecSuccess
    } catch {
      return error.status
    }
  }
}
