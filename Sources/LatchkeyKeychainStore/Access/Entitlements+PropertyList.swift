package import LatchkeyKeychainModel
package import LatchkeyPropertyLists

extension Entitlements {
  /// The most access groups that a program may have, and the most bytes in the name of one.
  package static let maximumGroups = 1024
  /// See ``maximumGroups``.
  package static let maximumNameBytes = 1024

  /// The access groups in an `.entitlements` property list, in Apple's order: `keychain-access-groups`, the application
  /// identifier, `com.apple.security.application-groups` (Apple, "Sharing access to keychain items among a collection of
  /// apps"). Other keys mean nothing here. A list that names no group at all gives none: every call is refused.
  ///
  /// Nobody has signed such a list: a program is free to write itself one that names others' groups, or the group "*"
  /// that stands for all, and it is believed. The file and its keys are the program's user's anyhow. Access groups keep
  /// programs of one user out of each other's way, as Apple's do; they do not keep them out of each other's items.
  ///
  /// Build settings such as `$(AppIdentifierPrefix)`, which Xcode replaces, are letters like any others.
  ///
  /// - Parameter name: what the list is called in errors, its path say.
  /// - Throws: `.configuration` that says what to mend.
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
