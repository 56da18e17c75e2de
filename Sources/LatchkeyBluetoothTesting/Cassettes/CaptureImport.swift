public import CoreBluetooth
import Foundation
import LatchkeyBluetoothHost
package import LatchkeyBluetoothTransports

/// What is in a capture.
package struct CaptureImport: Sendable {
  /// The devices with which something was exchanged, or to which there was a connection.
  package let devices: [RecordedDevice]
  /// The parts of the file that were not read; one sentence for each kind.
  package let remarks: [String]

  /// Reads a capture.
  ///
  /// - Throws: `notACapture`.
  package init(_ bytes: [UInt8]) throws(CassetteError) {
    var recorder = ExchangeRecorder()
    let remarks: [String]
    do throws(CaptureError) {
      var reader = try CaptureReader(bytes)
      while let packet = try reader.next() { recorder.receive(packet) }
      remarks = reader.remarks
    } catch {
      throw CassetteError(.notACapture, "\(error)")
    }
    recorder.end()
    devices = recorder.devices.filter { $0.connections > 0 || $0.pduCount > 0 }
    self.remarks = remarks
  }

  /// The device that a user means by an address, a name, or the text of its identity; without one, the only one.
  ///
  /// - Throws: `noDevice` or `severalDevices`, with those that are there.
  package func device(_ text: String?) throws(CassetteError) -> RecordedDevice {
    guard !devices.isEmpty else { throw CassetteError(.noExchange, "the capture has no connection to a device") }
    guard let text else {
      let exchanging = devices.filter { $0.pduCount > 0 }
      if exchanging.count == 1 { return exchanging[0] }
      if devices.count == 1 { return devices[0] }
      throw CassetteError(.severalDevices, "the capture has several devices, name one: \(list(devices))")
    }
    let found = devices.filter {
      $0.identity.text.uppercased() == text.uppercased() || $0.name == text || $0.readName == text
    }
    guard let first = found.first else {
      throw CassetteError(.noDevice, "the capture has no device \(String(reflecting: text)), but \(list(devices))")
    }
    guard found.count == 1 else {
      throw CassetteError(.severalDevices, "several devices have this name, use the address: \(list(found))")
    }
    return first
  }

  private static let listed = 20

  private func list(_ devices: [RecordedDevice]) -> String {
    let texts = devices.prefix(Self.listed).map { device in
      let name = (device.name ?? device.readName).map { " \(String(reflecting: $0))" } ?? ""
      return "\(device.identity.text)\(name) (\(device.eventCount) events)"
    }
    return texts.joined(separator: ", ") + (devices.count > Self.listed ? ", …" : "")
  }
}

extension Cassette {
  /// Makes a cassette of a capture: btsnoop, as Android and BlueZ write it, or PacketLogger, as Apple's systems do.
  ///
  /// - Parameters:
  ///   - device: the address or the name of the device; may be nil if the capture has only one.
  ///   - masked: the UUIDs of what is masked, beside serial numbers, system IDs and addresses.
  ///   - keepsIdentifiers: whether those three are kept.
  /// - Throws: why there is no cassette.
  public init(
    capture: Data, device: String? = nil, masking masked: [CBUUID] = [], keepsIdentifiers: Bool = false
  ) throws(CassetteError) {
    let mask = CassetteMask(uuids: Set(masked), keepsIdentifiers: keepsIdentifiers)
    self = try RecordedCassette(try CaptureImport([UInt8](capture)).device(device), masking: mask).cassette
  }
}
