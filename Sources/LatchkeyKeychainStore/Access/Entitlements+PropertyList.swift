package import LatchkeyKeychainModel
package import LatchkeyPropertyLists

extension Entitlements {
  /// The limit on a program's access groups, and on the bytes of one group's name.
  package static let maximumGroups = 1024
  /// See ``maximumGroups``.
  package static let maximumNameBytes = 1024

  /// Reads the access groups from an `.entitlements` property list, in Apple's order: `keychain-access-groups`, the application
  /// identifier, `com.apple.security.application-groups` (Apple, "Sharing access to keychain items among a collection of
  /// apps"). Other keys are ignored. A list that names no group yields none, and every call is refused.
  ///
  /// The list is unsigned: a program may write one that names other programs' groups, or the group "*" that matches all of
  /// them, and it is accepted. The file and its keys belong to the program's user in any case. As with Apple, access groups
  /// prevent collisions between one user's programs; they are no access control against them.
  ///
  /// Build settings such as `$(AppIdentifierPrefix)`, which Xcode replaces, are not expanded.
  ///
  /// - Parameter name: the list's name in errors, such as its path.
  /// - Throws: `.configuration`, with the remedy.
  package init(_ list: PropertyList, named name: String) throws(StoreError) {
    guard case .dictionary(let entries) = list else {
      throw .configuration("the entitlements \(name) are no dictionary: write <dict> with keychain-access-groups in it")
    }
    let shared = try Self.groups(entries, "keychain-access-groups", name)
    var identifier = try Self.text(entries, "application-identifier", name)
    if identifier == nil { identifier = try Self.text(entries, "com.apple.application-identifier", name) }
    self.init(applicationIdentifier: identifier, keychainAccessGroups: shared)
    for group in try Self.groups(entries, "com.apple.security.application-groups", name)
    where !accessGroups.contains(group) {
      accessGroups.append(group)
    }
    values = entries.mapValues { EntitlementValue($0) }
  }

  private static func text(
    _ entries: [String: PropertyList], _ key: String, _ name: String
  ) throws(StoreError) -> String? {
    guard let value = entries[key] else { return nil }
    guard case .string(let text) = value, isName(text) else {
      throw .configuration("\(key) in the entitlements \(name) is no name: write <string>TEAM.com.example.app</string>")
    }
    return text
  }

  private static func groups(
    _ entries: [String: PropertyList], _ key: String, _ name: String
  ) throws(StoreError) -> [String] {
    guard let value = entries[key] else { return [] }
    guard case .array(let values) = value else {
      throw .configuration("\(key) in the entitlements \(name) is no array: write <array><string>…</string></array>")
    }
    guard values.count <= maximumGroups else {
      throw .configuration("\(key) in the entitlements \(name) has more than \(maximumGroups) groups: remove some")
    }
    var groups: [String] = []
    for value in values {
      guard case .string(let text) = value, isName(text) else {
        throw .configuration(
          "\(key) in the entitlements \(name) holds something else than names: write <string>TEAM.com.example</string>")
      }
      groups.append(text)
    }
    return groups
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= maximumNameBytes && !text.utf8.contains(0)
  }
}

extension EntitlementValue {
  /// The same value. The reference of a keyed archive, which entitlements do not have, is its number.
  fileprivate init(_ list: PropertyList) {
    self =
      switch list {
      case .string(let text): .text(text)
      case .data(let bytes): .bytes(bytes)
      case .integer(let number): .number(number)
      case .unsigned(let number): .unsigned(number)
      case .real(let number): .real(number)
      case .boolean(let flag): .flag(flag)
      case .date(let seconds): .date(seconds)
      case .array(let values): .list(values.map { EntitlementValue($0) })
      case .dictionary(let values): .dictionary(values.mapValues { EntitlementValue($0) })
      case .uid(let number): .number(Int64(number))
      }
  }
}
