public import CoreBluetooth
import Foundation

/// A write that arrived at a device.
public struct DeviceWrite: Sendable, Equatable {
  /// The UUID of the characteristic.
  public let characteristic: CBUUID
  /// The value that was written, after the parts of a long one were joined.
  public let value: Data
}

/// A request of an app, for faults: which operation, on which characteristic.
///
/// A characteristic is named by its UUID, as in `2A37`, or, where several services have it, with its service's, as in
/// `180D/2A37`. A name that the device does not have is a mistake of the test and ends the program, as
/// `CBUUID(string:)` does.
public enum DeviceRequest: Sendable, Hashable {
  /// A read.
  case read(String)
  /// A write, with or without response.
  case write(String)
  /// A subscription, and its end: the write of the client characteristic configuration.
  case subscribe(String)
}
