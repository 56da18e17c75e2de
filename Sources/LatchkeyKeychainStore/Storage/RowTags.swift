import LatchkeyKeychainModel

/// What makes the tags of a keychain's rows: one index key for those under the device root, another one for those under the user
/// root where a passcode is set. Which one it is follows from a row's accessibility.
struct RowTags: Sendable {
  /// The tags of rows under the device root.
  let device: IndexTags
  /// The tags of rows under the user root; nil before the first unlock.
  let user: IndexTags?
  /// Whether both are the same.
  let areShared: Bool

  /// One index key for all rows.
  init(all tags: IndexTags) {
    device = tags
    user = tags
    areShared = true
  }

  /// One index key for each root.
  init(device: IndexTags, user: IndexTags?) {
    self.device = device
    self.user = user
    areShared = false
  }

  /// The tags of rows of an accessibility; nil if they are not known now.
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

/// The tags that rows with one primary key have, under either root.
struct PrimaryKeyTags: Sendable {
  let device: [UInt8]
  /// Nil before the first unlock.
  let user: [UInt8]?
  let areShared: Bool

  /// The tag of a row of an accessibility; nil if it is not known now.
  subscript(accessibility: Accessibility) -> [UInt8]? { accessibility.isUnderDeviceRoot ? device : user }
}
