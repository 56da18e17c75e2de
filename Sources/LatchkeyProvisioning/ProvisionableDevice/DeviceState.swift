public import Foundation
import Synchronization

/// What a device keeps over restarts.
public struct ProvisionableDeviceState: Codable, Hashable, Sendable {
  /// Tries with a wrong code since the last act at the device.
  public var failedAttempts: Int
  /// Whether the device has joined a network by provisioning.
  public var isProvisioned: Bool
  /// What lets known apps resume a session of the secure protocol: secret, and bounded.
  public var tickets: Data

  /// The state of a new device.
  public init() {
    failedAttempts = 0
    isProvisioned = false
    tickets = Data()
  }
}

/// Where a device's state is kept. Calls come one at a time, from one queue; `store` returns when the state would survive a
/// power cut.
public protocol ProvisionableDeviceStore: Sendable {
  /// The stored state; nil if there is none.
  func load() throws -> ProvisionableDeviceState?
  /// Replaces the state.
  func store(_ state: ProvisionableDeviceState) throws
}

/// A state that ends with the process: tries with a wrong code are then counted from zero at each start.
public final class TransientDeviceStore: ProvisionableDeviceStore {
  private let state = Mutex<ProvisionableDeviceState?>(nil)

  /// A store without a state.
  public init() {}
  /// The stored state.
  public func load() -> ProvisionableDeviceState? { state.withLock { $0 } }
  /// Replaces the state.
  public func store(_ state: ProvisionableDeviceState) { self.state.withLock { $0 = state } }
}
