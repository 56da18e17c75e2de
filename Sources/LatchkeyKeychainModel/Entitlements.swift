/// The access groups of a keychain that a program may use.
///
/// The keychain runs in the program's own process, so entitlements are a claim of the program. They reproduce Apple's
/// behavior; they do not protect from a program that claims other entitlements. Groups are equal if their UTF-8 is, not
/// normalized, as in the store.
public struct Entitlements: Hashable, Sendable {
  /// The access groups in order: those of `keychain-access-groups`, then the application identifier. New items go to the
  /// first. "*" grants all groups. If empty, every call is refused (`errSecMissingEntitlement`).
  public var accessGroups: [String]
  /// All entitlements by name, those of other subsystems among them. Only ``accessGroups`` decides what is granted.
  package var values: [String: EntitlementValue]

  /// Creates entitlements to these access groups.
  public init(accessGroups: [String]) {
    self.accessGroups = accessGroups
    values = ["keychain-access-groups": .list(accessGroups.map { .text($0) })]
  }

  /// Creates entitlements in Apple's order: the groups of `keychain-access-groups`, then the application identifier if it is
  /// not among them (Apple, "Sharing access to keychain items among a collection of apps").
  public init(applicationIdentifier: String?, keychainAccessGroups: [String]) {
    var groups: [String] = []
    for group in keychainAccessGroups + (applicationIdentifier.map { [$0] } ?? [])
    where !groups.contains(where: { Self.areEqual($0, group) }) {
      groups.append(group)
    }
    accessGroups = groups
    values = ["keychain-access-groups": .list(keychainAccessGroups.map { .text($0) })]
    values["application-identifier"] = applicationIdentifier.map { .text($0) }
  }

  /// The only access group of a program without entitlements, shared with all such programs. A group named after the
  /// program's file would be lost when the file is renamed.
  public static let defaultGroup = "default"

  /// The entitlements of a program that declares none: the default group, so that calls are not refused.
  public static let none = {
    var none = Entitlements(accessGroups: [defaultGroup])
    none.values = [:]
    return none
  }()

  /// The group of hardware tokens: entitled programs can read it, no program can write it (`com.apple.token`).
  public static let tokenGroup = "com.apple.token"
  /// The name that grants all groups.
  public static let everyGroup = "*"

  /// Whether all groups are granted.
  public var coverEverything: Bool { accessGroups.contains { Self.areEqual($0, Self.everyGroup) } }

  /// Whether the caller may use items of `group`.
  public func include(_ group: String) -> Bool {
    coverEverything || accessGroups.contains { Self.areEqual($0, group) }
  }

  /// The group of new items: the first that is not "*", or the default group if "*" stands alone; nil without any group.
  public var groupOfNewItems: String? {
    accessGroups.first { !Self.areEqual($0, Self.everyGroup) } ?? (coverEverything ? Self.defaultGroup : nil)
  }

  /// Compares the groups by their UTF-8, in their order. `values` does not count: it grants nothing.
  public static func == (a: Entitlements, b: Entitlements) -> Bool {
    a.accessGroups.elementsEqual(b.accessGroups, by: areEqual)
  }

  /// Strings of equal UTF-8 have equal hashes.
  public func hash(into hasher: inout Hasher) { hasher.combine(accessGroups) }

  /// `==` of strings also makes texts equal that differ in their normalization.
  private static func areEqual(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
}
