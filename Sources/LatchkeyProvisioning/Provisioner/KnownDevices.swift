public import Foundation
import Synchronization

/// What an app knows of a device that it has provisioned by the secure protocol.
public struct KnownDevice: Codable, Hashable, Sendable {
  /// The device's own identifier, 16 bytes.
  public var deviceID: Data
  /// What resumes a session without the code: secret; nil if the device gave nothing.
  public var resumption: Data?

  /// A device that is known.
  public init(deviceID: Data, resumption: Data?) {
    self.deviceID = deviceID
    self.resumption = resumption
  }
}

extension KnownDevice: CustomStringConvertible, CustomReflectable {
  /// A text without any of the parts.
  public var description: String { "a known device" }
  /// Empty: what resumes a session is never printed.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where an app keeps the devices that it knows, by the identifiers of their peripherals. A device that is known is never spoken
/// to by a weaker protocol: an attacker who hides the secure service gets nothing.
public protocol KnownDeviceStore: Sendable {
  /// The record of a peripheral; nil if it is not known.
  func device(_ peripheral: UUID) throws -> KnownDevice?
  /// Replaces the record of a peripheral; nil removes it.
  func store(_ device: KnownDevice?, _ peripheral: UUID) throws
}

/// Knows devices for as long as the process runs.
public final class TransientKnownDevices: KnownDeviceStore {
  private let devices = Mutex<[UUID: KnownDevice]>([:])

  /// A store that knows nobody.
  public init() {}
  /// The record of a peripheral; nil if it is not known.
  public func device(_ peripheral: UUID) -> KnownDevice? { devices.withLock { $0[peripheral] } }
  /// Replaces the record of a peripheral; nil removes it.
  public func store(_ device: KnownDevice?, _ peripheral: UUID) { devices.withLock { $0[peripheral] = device } }
}
