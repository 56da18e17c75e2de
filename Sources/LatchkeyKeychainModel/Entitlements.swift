/// What a program may see of a keychain: its access groups.
///
/// In a keychain that lives in the program's own process these are the program's own word: they give Apple's behavior,
/// not protection from a program that writes itself other entitlements.
public struct Entitlements: Hashable, Sendable {
  /// The access groups in order: those of `keychain-access-groups`, then the application identifier. New items go to the
  /// first. "*" opens all groups. None at all: every call is refused (`errSecMissingEntitlement`).
  public var accessGroups: [String]

  /// Entitlements to these access groups.
  public init(accessGroups: [String]) { self.accessGroups = accessGroups }

  /// Apple's order of a program's access groups: those of `keychain-access-groups`, then the application identifier if
  /// it is not among them (Apple, "Sharing access to keychain items among a collection of apps").
  public init(applicationIdentifier: String?, keychainAccessGroups: [String]) {
    var groups: [String] = []
    for group in keychainAccessGroups + (applicationIdentifier.map { [$0] } ?? []) where !groups.contains(group) {
      groups.append(group)
    }
    accessGroups = groups
  }

  /// The access group of a program without entitlements: it has this one alone, and shares it with all such programs. A group
  /// by the name of the program's file would be lost with that name.
  public static let defaultGroup = "default"

  /// What a program has that states nothing: one group, so that nothing is ever refused.
  public static let none = Entitlements(accessGroups: [defaultGroup])

  /// The group of hardware tokens: readable by those entitled, writable by none (`com.apple.token`).
  public static let tokenGroup = "com.apple.token"
  /// The name that opens all groups.
  public static let everyGroup = "*"

  /// Whether all groups are open.
  public var coverEverything: Bool { accessGroups.contains(Self.everyGroup) }

  /// Whether items of `group` are the caller's to see.
  public func include(_ group: String) -> Bool { coverEverything || accessGroups.contains(group) }

  /// The group of new items: the first that is the name of one; nil without any.
  public var groupOfNewItems: String? {
    accessGroups.first { $0 != Self.everyGroup } ?? (coverEverything ? Self.defaultGroup : nil)
  }
}
