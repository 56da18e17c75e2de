import ArgumentParser
import LatchkeyCommandLine
import LatchkeyKeychainModel

/// `latchkey keychain dump`: everything that this program's access groups show.
struct DumpKeychain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Print the attributes of all items, and their secrets with -d.",
    discussion: """
      Prints the items of the access groups in LATCHKEY_ENTITLEMENTS, class by class. Of a locked item only \
      the class and the accessibility are known: these are printed, with the word locked; with -d the command then ends with 36.

      With --json: item (\(ItemFields.help); with -d also password, which is null if it is no UTF-8, and data, in digits), \
      locked (class, accessible), done or error.
      """,
    examples: ["latchkey keychain dump", "latchkey keychain dump -d --json"],
    statuses: .keychain, aliases: ["dump-keychain"])

  @Flag(name: [.customShort("d"), .customLong("show-secrets")], help: "Print the secrets too.") var showsSecrets = false
  @OptionGroup var group: ItemGroupOptions
  @OptionGroup var place: KeychainOptions
  @OptionGroup var output: KeychainOutput

  func run() throws {
    try output.run {
      let keychain = try place.open(.inspecting)
      let listing = try keychain.listing()
      var locked: StoreError?
      for itemClass in ItemClass.stored {
        if let error = try dump(itemClass, keychain, listing) { locked = error }
      }
      if showsSecrets, let locked { throw locked }
    }
  }

  /// Prints all items of a class, and a line for those that are locked; returns the error of a locked one.
  private func dump(
    _ itemClass: ItemClass, _ keychain: OpenKeychain, _ listing: ItemListing
  ) throws -> StoreError? {
    if try dump(itemClass, nil, keychain, listing) == nil { return nil }
    // One locked item hides its class: the others are asked for by their accessibility.
    var locked: StoreError?
    for accessibility in Accessibility.allCases {
      guard let error = try dump(itemClass, accessibility, keychain, listing) else { continue }
      locked = error
      try output.emit(
        listing.lockedLines(itemClass, accessibility), "locked",
        [("class", .text(itemClass.rawValue)), ("accessible", .text(accessibility.commandName))])
    }
    return locked
  }

  /// Prints the items of a class and an accessibility; prints none and returns the error if one is locked.
  private func dump(
    _ itemClass: ItemClass, _ accessibility: Accessibility?, _ keychain: OpenKeychain, _ listing: ItemListing
  ) throws -> StoreError? {
    var query = group.query(itemClass, limit: nil, wantsData: showsSecrets)
    if let accessibility {
      guard query.accessibility == nil || query.accessibility == accessibility else { return nil }
      query.accessibility = accessibility
    }
    let items: [StoredItem]
    // Attributes alone are shown where they can be read; no passcode is asked for.
    switch showsSecrets ? keychain.found(query) : keychain.foundUnasked(query) {
    case .success(let found): items = found
    case .failure(.locked(let accessibility, let state)): return .locked(accessibility, state)
    case .failure(let error): throw error
    }
    for item in items {
      var lines = listing.lines(of: item)
      if showsSecrets { lines += ["data:", SecurityToolText.buffer(item.data ?? [])] }
      try output.emit(lines, "item", ItemFields.fields(of: item, showsSecret: showsSecrets))
    }
    return nil
  }
}
