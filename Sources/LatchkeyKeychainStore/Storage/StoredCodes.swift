import LatchkeyKeychainModel

/// The numbers that stand for classes and accessibilities in rows. They are part of the format: never renumber.
enum StoredCodes {
  static func code(of itemClass: ItemClass) -> Int64 {
    switch itemClass {
    case .genericPassword: 1
    case .internetPassword: 2
    case .certificate: 3
    case .key: 4
    case .identity: 0
    }
  }

  /// The class of this number; nil for a number that no row can have.
  static func itemClass(_ code: Int64) -> ItemClass? {
    switch code {
    case 1: .genericPassword
    case 2: .internetPassword
    case 3: .certificate
    case 4: .key
    default: nil
    }
  }

  static func code(of accessibility: Accessibility) -> Int64 {
    switch accessibility {
    case .whenUnlocked: 1
    case .afterFirstUnlock: 2
    case .always: 3
    case .whenUnlockedThisDeviceOnly: 4
    case .afterFirstUnlockThisDeviceOnly: 5
    case .alwaysThisDeviceOnly: 6
    case .whenPasscodeSetThisDeviceOnly: 7
    }
  }

  /// The accessibility of this number; nil for a number that no row can have.
  static func accessibility(_ code: Int64) -> Accessibility? {
    switch code {
    case 1: .whenUnlocked
    case 2: .afterFirstUnlock
    case 3: .always
    case 4: .whenUnlockedThisDeviceOnly
    case 5: .afterFirstUnlockThisDeviceOnly
    case 6: .alwaysThisDeviceOnly
    case 7: .whenPasscodeSetThisDeviceOnly
    default: nil
    }
  }
}

extension Accessibility {
  /// Whether a row with this number for its accessibility is under the device root.
  static func isUnderDeviceRoot(code: Int64) -> Bool { StoredCodes.accessibility(code)?.isUnderDeviceRoot ?? false }
}

/// The format of the file.
enum StoreFormat {
  /// The first one: no presence key, no constraints, no keys of an enclave.
  static let first: Int64 = 1
  /// The one whose header has sums by parts (``HeaderSums``), and whose index of UUIDs has the rows' marks beside them.
  /// A keychain of an earlier format becomes one of this format when an item or a key record is written.
  static let withSums: Int64 = 3
  /// The one whose header counts the rows under each root, and in which a passcode's rows have tags under a key of their own.
  /// A keychain becomes one of this format when its keys are made anew, and at its next unlock.
  static let withRoots: Int64 = 4
  /// The one of new keychains, and the newest that this version reads.
  static let current: Int64 = withRoots
}

/// The caps of what one item may hold. Rows from outside are held to them too, so that no length in a file makes this
/// program allocate without bound.
enum ItemLimits {
  /// Attributes, access group and data of an item together, in bytes.
  static let itemSize = 16 * 1024 * 1024
  /// Attributes of one item: more than any class has.
  static let attributes = 64
  /// The name of an access group, in bytes.
  static let accessGroup = 4096
}
