import ArgumentParser
import LatchkeyCommandLine
import LatchkeyKeychainModel

/// Adds, finds and deletes passwords of either class.
enum PasswordItem {
  /// Adds `item`, or with `updates` sets its secret and what else is given in the one that is there.
  static func add(
    _ item: NewItem, updates: Bool, defaultLabel: String, to keychain: OpenKeychain, _ output: KeychainOutput
  ) throws {
    if updates, let item = try update(item, in: keychain) {
      return try output.emit([], "updated", ItemFields.fields(of: item))
    }
    var labeled = item
    labeled.attributes[.label] = item.attributes[.label] ?? .text(defaultLabel)
    do {
      let stored = try keychain.store.add(labeled, as: keychain.entitlements)
      try output.emit([], "added", ItemFields.fields(of: stored))
    } catch StoreError.duplicateItem where updates {
      // Another program added it in between.
      guard let item = try update(item, in: keychain) else { throw StoreError.duplicateItem }
      try output.emit([], "updated", ItemFields.fields(of: item))
    }
  }

  /// Finds the first item that matches, and prints it.
  static func find(
    _ query: ItemQuery, in keychain: OpenKeychain, _ display: PasswordDisplay, _ output: KeychainOutput
  ) throws {
    let item = try first(query, in: keychain)
    if display.raw { return try StandardStreams.write(item.data ?? []) }
    let listing = display.passwordAlone ? [] : try keychain.listing().lines(of: item)
    let secret = item.data ?? []
    try output.emit(
      display.passwordAlone ? [SecurityToolText.password(secret)] : listing, "item",
      ItemFields.fields(of: item, showsSecret: display.showsPassword))
    if display.showsPassword, !display.passwordAlone, !output.json {
      StandardStreams.writeErrorLine("password: \(SecurityToolText.buffer(secret))")
    }
  }

  /// Deletes the first item that matches, and prints its attributes.
  static func delete(_ query: ItemQuery, in keychain: OpenKeychain, _ output: KeychainOutput) throws {
    let item = try first(query, in: keychain)
    let reference = ItemQuery(item.itemClass, synchronizable: .any, persistentReference: item.reference)
    try keychain.store.delete(reference, as: keychain.entitlements)
    try output.emit(keychain.listing().lines(of: item), "deleted", ItemFields.fields(of: item))
    if !output.json { StandardStreams.writeErrorLine("password has been deleted.") }
  }

  private static func first(_ query: ItemQuery, in keychain: OpenKeychain) throws(StoreError) -> StoredItem {
    guard let item = try keychain.store.find(query, as: keychain.entitlements).first else {
      throw .itemNotFound
    }
    return item
  }

  /// Sets what `item` has in the one with its primary key; nil if there is none.
  private static func update(_ item: NewItem, in keychain: OpenKeychain) throws(StoreError) -> StoredItem? {
    let key = AttributeSchema.primaryKey(of: item.itemClass)
    // An absent part of the key is empty or 0 there, so an empty one is asked for, which matches both.
    let attributes = Dictionary(
      uniqueKeysWithValues: key.map { attribute in
        let isNumber = AttributeSchema.kind(of: attribute, in: item.itemClass) == .number
        return (attribute, item.attributes[attribute] ?? (isNumber ? .number(0) : .text("")))
      })
    let query = ItemQuery(
      item.itemClass, attributes: attributes,
      accessGroup: item.accessGroup ?? keychain.entitlements.groupOfNewItems)
    let changes = ItemChanges(
      attributes: item.attributes.filter { !key.contains($0.key) }, accessibility: item.accessibility,
      data: item.data)
    do {
      try keychain.store.update(query, with: changes, as: keychain.entitlements)
      return try first(query, in: keychain)
    } catch .itemNotFound {
      return nil
    }
  }
}

/// Whether a password is shown, and how.
struct PasswordDisplay: ParsableArguments {
  @Flag(name: [.customShort("g"), .long], help: "Show the password too, on standard error.") var showPassword = false
  @Flag(
    name: [.customShort("w"), .customLong("password")],
    help: "Print the password alone; one that is not printable ASCII comes in hexadecimal digits.")
  var passwordAlone = false
  @Flag(help: "Print the password alone, byte for byte and without a newline at its end.") var raw = false

  var showsPassword: Bool { showPassword || passwordAlone || raw }

  /// - Throws: if `--raw` stands beside what prints something else.
  func validate(_ output: KeychainOutput) throws {
    guard !raw || !(showPassword || passwordAlone || output.json) else {
      throw ValidationError("--raw stands without -w, -g and --json")
    }
  }
}
