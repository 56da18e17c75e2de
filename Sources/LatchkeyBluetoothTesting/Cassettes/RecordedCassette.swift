import CoreBluetooth
import Foundation
import LatchkeyBluetoothHost
package import LatchkeyBluetoothTransports

/// A cassette of what was recorded of a device.
package struct RecordedCassette: Sendable {
  package let cassette: Cassette
  /// The parts of the recording that the cassette omits; one sentence for each kind.
  package let remarks: [String]

  /// Makes the cassette.
  ///
  /// - Throws: `CassetteError` if the recording does not have enough for one.
  package init(_ device: RecordedDevice, masking mask: CassetteMask = CassetteMask()) throws(CassetteError) {
    guard device.pduCount > 0 else {
      throw CassetteError(.noExchange, "nothing was exchanged with \(device.identity.text)")
    }
    let database = CassetteDatabase(device.database.contents)
    guard database.hasCharacteristics else {
      throw CassetteError(
        .noDatabase,
        "the services of \(device.identity.text) were not discovered, since they were known from before: record from "
          + "the first connection on, or remove the device from the phone's Bluetooth settings before")
    }
    var builder = CassetteBuilder(device, database, mask)
    builder.run()
    cassette = builder.cassette
    remarks = builder.remarks
    do throws(DefinitionError) { try cassette.validate() } catch {
      throw CassetteError(.notServable, "the recording makes no cassette: \(error)")
    }
  }
}

/// Why there is no cassette.
public struct CassetteError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What kind of reason it is.
  public enum Code: String, Sendable {
    /// The file is no capture, or damaged.
    case notACapture
    /// Several devices are in the capture, and none was named.
    case severalDevices
    /// The device that was named is not in the capture.
    case noDevice
    /// Nothing was exchanged with the device.
    case noExchange
    /// The device's services were not discovered.
    case noDatabase
    /// What was recorded could not be served.
    case notServable
  }

  /// The kind of reason.
  public let code: Code
  /// The reason, in words.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
