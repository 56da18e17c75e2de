public import Foundation

/// The common base of services, characteristics and descriptors: a UUID.
open class CBAttribute: NSObject {
  /// The attribute's type.
  open var uuid: CBUUID { type }

  private let type: CBUUID

  init(uuid: CBUUID) {
    type = uuid
    super.init()
  }
}
