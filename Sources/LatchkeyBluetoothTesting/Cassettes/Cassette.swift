public import CoreBluetooth
import Foundation

/// A recording of a device: what it advertised, its database, and what a central did with it and got back.
///
/// A cassette is recorded from a device (`latchkey ble record`), made of a capture (`latchkey ble import`) or read from
/// JSON (`init(json:)`, `docs/cassette.schema.json`). ``TestRadio/add(_:replay:named:)`` plays it in a test, `latchkey ble
/// replay` on any controller. It has values, not packets: an app that discovers in another order, or with another ATT_MTU,
/// plays it as well.
public struct Cassette: Sendable, Equatable {
  /// The device: its name, its services, and the first value of each characteristic that is known. Generic Access and
  /// Generic Attribute are not among the services, as in each definition. Behaviors are not used.
  public var device: DeviceDefinition
  /// What it advertised, oldest first; reports that only repeat an earlier one are left out.
  public var advertisements: [AdvertisingReport]
  /// The ATT_MTU of the connection, 23...517 bytes.
  public var mtu: Int
  /// What happened on the connection, oldest first.
  public var steps: [Step]

  /// A cassette.
  public init(
    device: DeviceDefinition, advertisements: [AdvertisingReport] = [], mtu: Int = 23, steps: [Step] = []
  ) {
    self.device = device
    self.advertisements = advertisements
    self.mtu = mtu
    self.steps = steps
  }

  /// One advertisement or scan response.
  public struct AdvertisingReport: Sendable, Equatable {
    /// When it was received, since the beginning of the recording.
    public var time: Duration
    /// The signal strength in dBm; nil if the controller did not tell.
    public var rssi: Int8?
    /// Its data: structures of length, type and data (Core 6.0 Vol 3 Part C 11).
    public var data: Data
    /// Whether it is the answer to a scan.
    public var isScanResponse: Bool
    /// Whether the device can be connected to.
    public var isConnectable: Bool

    /// A report.
    public init(
      time: Duration, rssi: Int8? = nil, data: Data, isScanResponse: Bool = false, isConnectable: Bool = true
    ) {
      self.time = time
      self.rssi = rssi
      self.data = data
      self.isScanResponse = isScanResponse
      self.isConnectable = isConnectable
    }
  }

  /// One event on the connection.
  public struct Step: Sendable, Equatable {
    /// When it ended, since the beginning of the recording: a read with its answer.
    public var time: Duration
    /// The characteristic or descriptor.
    public var attribute: Attribute
    /// What happened.
    public var event: Event

    /// A step.
    public init(time: Duration, attribute: Attribute, event: Event) {
      self.time = time
      self.attribute = attribute
      self.event = event
    }
  }

  /// A place in the database of ``device``.
  public struct Attribute: Sendable, Hashable {
    /// The index among the device's services.
    public var service: Int
    /// The index among the service's characteristics.
    public var characteristic: Int
    /// The index among the characteristic's descriptors; nil for its value.
    public var descriptor: Int?

    /// A place.
    public init(service: Int, characteristic: Int, descriptor: Int? = nil) {
      self.service = service
      self.characteristic = characteristic
      self.descriptor = descriptor
    }
  }

  /// What happened to an attribute.
  public enum Event: Sendable, Equatable {
    /// The central read it, as a whole.
    case read(Value)
    /// A read was refused.
    case readRefused(CBATTError.Code)
    /// The central wrote it and got this answer; `success` is one.
    case write(Value, answer: CBATTError.Code)
    /// The central wrote it and asked for no answer.
    case writeWithoutResponse(Value)
    /// The central subscribed or unsubscribed and got this answer.
    case subscription(Subscription, answer: CBATTError.Code)
    /// The device sent a notification.
    case notification(Value)
    /// The device sent an indication.
    case indication(Value)
  }

  /// What a central asked a device to send (Core 6.0 Vol 3 Part G 3.3.3.3).
  public enum Subscription: String, Sendable, CaseIterable {
    /// Nothing any more.
    case none
    /// Notifications.
    case notifications
    /// Indications.
    case indications
  }

  /// A value of a cassette.
  public enum Value: Sendable, Equatable {
    /// These bytes.
    case bytes(Data)
    /// Bytes that the cassette does not tell, 0...512 of them: a replay sends as many zeros, and takes any as many.
    case masked(count: Int)
  }
}
