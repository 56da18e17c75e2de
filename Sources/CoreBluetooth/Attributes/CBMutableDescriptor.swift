import Foundation

/// A descriptor of this host: a user description (2901, a `String`) or a presentation format (2904, a `Data`).
open class CBMutableDescriptor: CBDescriptor {
  /// A descriptor with a fixed value, readable by all.
  public init(type UUID: CBUUID, value: Any?) {
    super.init(uuid: UUID, value: value)
  }
}
