public import Foundation

/// What services, characteristics and descriptors have in common: a UUID.
open class CBAttribute: NSObject {
  /// What the attribute is.
  open var uuid: CBUUID { type }

  private let type: CBUUID

  init(uuid: CBUUID) {
    type = uuid
    super.init()
  }
}
