import LatchkeyKeychainModel

/// Computes the tags of a keychain's rows. Rows under the device root use one index key; if a passcode is set, rows under the
/// user root use another. A row's accessibility decides which.
struct RowTags: Sendable {
  /// The tags of rows under the device root.
  let device: IndexTags
  /// The tags of rows under the user root; nil before the first unlock.
  let user: IndexTags?
  /// Whether both roots use the same index key.
  let areShared: Bool

  /// Uses one index key for all rows.
  init(all tags: IndexTags) {
    device = tags
    user = tags
    areShared = true
  }

  /// Uses one index key per root.
  init(device: IndexTags, user: IndexTags?) {
    self.device = device
    self.user = user
    areShared = false
  }

  /// The tags for rows of an accessibility; nil if their key is not available now.
  subscript(accessibility: Accessibility) -> IndexTags? { accessibility.isUnderDeviceRoot ? device : user }

  /// The tags of a primary key under either root.
  func primaryKey(
    _ attributes: [ItemAttribute: AttributeValue], of itemClass: ItemClass, synchronizable: Bool, group: String
  ) -> PrimaryKeyTags {
    func tag(_ tags: IndexTags) -> [UInt8] {
      tags.primaryKey(
        attributes, of: itemClass, synchronizable: synchronizable, groupTag: tags.accessGroup(group))
    }
    let deviceTag = tag(device)
    return PrimaryKeyTags(
      device: deviceTag, user: areShared ? deviceTag : user.map(tag), areShared: areShared)
  }
}

/// The tags of one primary key, under either root.
struct PrimaryKeyTags: Sendable {
  let device: [UInt8]
  /// Nil before the first unlock.
  let user: [UInt8]?
  let areShared: Bool

  /// The tag for a row of an accessibility; nil if its key is not available now.
  subscript(accessibility: Accessibility) -> [UInt8]? { accessibility.isUnderDeviceRoot ? device : user }
}
