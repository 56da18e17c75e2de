// Names of Apple's, which Apple documents.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Whether a value appears in a log.
public struct OSLogPrivacy: Hashable, Sendable {
  /// What stands for a value that does not appear.
  public enum Mask: Hashable, Sendable {
    /// A text that is the same for the same value, in this run of the program alone.
    case hash
    case none
  }

  enum Kind: Hashable { case automatic, visible, hidden }
  let kind: Kind
  let mask: Mask

  /// Numbers and truth values appear, all else does not.
  public static let auto = OSLogPrivacy(kind: .automatic, mask: .none)
  public static let `public` = OSLogPrivacy(kind: .visible, mask: .none)
  public static let `private` = OSLogPrivacy(kind: .hidden, mask: .none)
  public static let sensitive = OSLogPrivacy(kind: .hidden, mask: .none)

  public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .automatic, mask: mask) }
  public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: mask) }
  public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .hidden, mask: mask) }

  /// What a log shows of the value, which is asked for only if that depends on it.
  func shown(scalar: Bool = false, _ value: () -> String) -> String {
    switch kind {
    case .visible: value()
    case .automatic where scalar && mask == .none: value()
    default: mask == .hash ? "<mask.hash: '\(ValueHash.shared.text(of: value()))'>" : "<private>"
    }
  }
}
