import LatchkeyKeychainModel

extension WriteTransaction {
  /// Looks for the primary key of a row that comes or changes under the root that it is not under: within one root the index of
  /// primary keys tells.
  ///
  /// - Parameters:
  ///   - row: the row as it will be.
  ///   - key: the tags of its primary key.
  /// - Throws: `.duplicateItem` if another row has it; `.locked` if that cannot be decided before the first unlock.
  func requireUnique(_ row: ItemRow, _ key: PrimaryKeyTags) throws(StoreError) {
    if key.areShared { return }
    let isDevice = Accessibility.isUnderDeviceRoot(code: row.accessibility)
    guard header.state.mayHaveItems(underDeviceRoot: !isDevice) else { return }
    if let tag = isDevice ? key.user : key.device {
      if let id = try id(ofUniqueTag: tag), id != row.id { throw .duplicateItem }
    } else {
      try HiddenRows(connection: connection, proof: proof, header: header).requireNone(ClearConditions(sharing: row))
    }
  }
}

extension ClearConditions {
  /// Those of the rows under the user root that may have the primary key of `row`.
  fileprivate init(sharing row: ItemRow) throws(StoreError) {
    guard let itemClass = StoredCodes.itemClass(row.itemClass) else {
      throw .damaged("an item is of a class that does not exist")
    }
    self.init(
      ItemQuery(itemClass, synchronizable: row.synchronizable != 0 ? .yes : .no), isUnderDeviceRoot: false)
  }
}
