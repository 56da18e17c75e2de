import Foundation

/// Which strap is the user's, from one launch to the next.
public struct StrapMemory: Sendable {
  /// The identifier of the strap; nil before the first.
  public var load: @Sendable () -> UUID?
  /// Remembers the identifier of the strap.
  public var save: @Sendable (UUID) -> Void

  /// A memory of two closures.
  public init(load: @escaping @Sendable () -> UUID?, save: @escaping @Sendable (UUID) -> Void) {
    self.load = load
    self.save = save
  }

  /// In the user's defaults.
  public static let defaults = StrapMemory(
    load: { UserDefaults.standard.string(forKey: "strap").flatMap(UUID.init(uuidString:)) },
    save: { UserDefaults.standard.set($0.uuidString, forKey: "strap") })
}
