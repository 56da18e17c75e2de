public import Foundation

/// A remote device: a peripheral to a central manager, a central to a peripheral manager.
///
/// Peers are equal if their identifiers are.
open class CBPeer: NSObject, NSCopying {
  /// The device's identifier: stable on this host, different on others, and not its address.
  open var identifier: UUID { peerIdentifier }

  private let peerIdentifier: UUID
  /// The observers of the peer's values.
  let observers = ObserverList()

  init(identifier: UUID) {
    peerIdentifier = identifier
    super.init()
  }

  /// The peer itself: there is one object for each device and manager.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The value of a key: `identifier`. For any other key this is a misuse, logged, and the value is nil.
  open func value(forKey key: String) -> Any? {
    switch key {
    case "identifier": identifier
    default: KeyValueCoding.undefined(key, of: self)
    }
  }

  /// Equality by identifier, among peers of one kind.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CBPeer else { return false }
    return self === other || (type(of: self) == type(of: other) && peerIdentifier == other.peerIdentifier)
  }

  /// The hash of the identifier.
  open override var hash: Int { peerIdentifier.hashValue }
}
