import LatchkeyKeychainModel

/// The codes of classes and accessibilities in rows. They are part of the file format: never renumber.
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

  /// Decodes a class; nil for an unassigned code.
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

  /// Decodes an accessibility; nil for an unassigned code.
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
  /// Whether rows with this accessibility code are under the device root.
  static func isUnderDeviceRoot(code: Int64) -> Bool { StoredCodes.accessibility(code)?.isUnderDeviceRoot ?? false }
}

/// The versions of the file format.
enum StoreFormat {
  /// The first format: no presence key, no constraints, no enclave keys.
  static let first: Int64 = 1
  /// Adds sums by parts to the header (``HeaderSums``), and the rows' marks to the index of UUIDs. A keychain of an earlier
  /// format is upgraded when an item or a key record is written.
  static let withSums: Int64 = 3
  /// Adds the count of rows under each root to the header, and tags under a separate key for the rows of a passcode. A keychain
  /// is upgraded when its keys are replaced, and at its next unlock.
  static let withRoots: Int64 = 4
  /// The format of new keychains, and the newest that this version reads.
  static let current: Int64 = withRoots
}

/// The size limits of an item. They apply to rows from a file too, so that no stored length causes an unbounded allocation.
enum ItemLimits {
  /// The limit of an item's attributes, access group and data together, in bytes.
  static let itemSize = 16 * 1024 * 1024
  /// The limit of attributes per item, above that of any class.
  static let attributes = 64
  /// The limit of an access group's name, in bytes.
  static let accessGroup = 4096
}
