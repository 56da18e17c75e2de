import LatchkeyKeychainModel

extension TagList {
  /// The tags that stand in the searched table too: those of texts and bytes. Numbers have few values, so that a search
  /// by one of them would read a good part of all rows anyway.
  func searched(in itemClass: ItemClass) -> [AttributeTag] {
    tags.filter { Self.isSearched(ItemAttribute(code: $0.name), in: itemClass) }
  }

  static func isSearched(_ attribute: ItemAttribute, in itemClass: ItemClass) -> Bool {
    attribute != .tokenID && AttributeSchema.kind(of: attribute, in: itemClass) == .blob
  }
}
