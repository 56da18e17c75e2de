public import Foundation
import LatchkeyBluetoothHost

/// A characteristic of this host, for a `CBMutableService`.
///
/// Once its service is added, properties, permissions and descriptors are fixed: setting them then is a misuse, logged
/// and without effect. If the characteristic was created without a value, the app may set the value at any time.
open class CBMutableCharacteristic: CBCharacteristic {
  struct LocalState {
    var permissions: CBAttributePermissions
    var subscribedCentrals: [CBCentral] = []
    var asksToSubscribe = false
    /// The handle of the value, and the database it belongs to, while its service is added.
    var publication: Publication?
  }

  struct Publication {
    var handle: AttributeHandle
    weak var engine: PeripheralEngine?
  }

  let local: Locked<LocalState>

  /// A characteristic. With a value it is read-only, and the host answers reads; without one each access goes to the
  /// delegate.
  public init(
    type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
  ) {
    local = Locked(LocalState(permissions: permissions))
    super.init(uuid: UUID, properties: properties, value: value)
  }

  /// The accesses that peers are permitted.
  open var permissions: CBAttributePermissions {
    get { local.withLock { $0.permissions } }
    set {
      guard mayChange() else { return }
      local.withLock { $0.permissions = newValue }
    }
  }

  /// The centrals that are subscribed now.
  open var subscribedCentrals: [CBCentral]? { local.withLock { $0.subscribedCentrals } }

  /// The operations in its declaration.
  open override var properties: CBCharacteristicProperties {
    get { super.properties }
    set {
      guard mayChange() else { return }
      state.withLock { $0.properties = newValue }
    }
  }

  /// The app's own copy of the value, or the fixed value that peers read.
  open override var value: Data? {
    get { super.value }
    set { state.withLock { $0.value = newValue } }
  }

  /// Its descriptors, each a `CBMutableDescriptor`. The client characteristic configuration is added automatically.
  open override var descriptors: [CBDescriptor]? {
    get { super.descriptors }
    set {
      guard mayChange() else { return }
      let previous = state.withLock { state in
        defer { state.descriptors = newValue }
        return state.descriptors
      }
      for descriptor in previous ?? [] { descriptor.setCharacteristic(nil) }
      for descriptor in newValue ?? [] { descriptor.setCharacteristic(self) }
    }
  }

  /// Whether a delegate that is a `CBSubscriptionDelegate` is asked before a central subscribes; false unless it is set
  /// before the service is added.
  package var asksToSubscribe: Bool {
    get { local.withLock { $0.asksToSubscribe } }
    set {
      guard mayChange() else { return }
      local.withLock { $0.asksToSubscribe = newValue }
    }
  }

  private func mayChange() -> Bool {
    guard local.withLock({ $0.publication == nil }) else {
      Diagnostics.misuse("\(self) has been published and is immutable")
      return false
    }
    return true
  }

  /// The handle of the value, while it is published.
  var valueHandle: AttributeHandle { local.withLock { $0.publication?.handle ?? 0 } }

  /// True if the central was not subscribed before.
  func subscribe(_ central: CBCentral) -> Bool {
    local.withLock { local in
      guard !local.subscribedCentrals.contains(where: { $0 === central }) else { return false }
      local.subscribedCentrals.append(central)
      return true
    }
  }

  /// True if the central was subscribed before.
  func unsubscribe(_ central: CBCentral) -> Bool {
    local.withLock { local in
      guard let index = local.subscribedCentrals.firstIndex(where: { $0 === central }) else { return false }
      local.subscribedCentrals.remove(at: index)
      return true
    }
  }
}
