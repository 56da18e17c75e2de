import CoreBluetooth
import LatchkeyProvisioningProtocol

/// Writes to the request characteristic: a frame in as many values as the link needs, never as a long write.
struct RequestWriter {
  /// The state of a write.
  enum Step {
    /// Values are still to be written, or to be answered.
    case underway
    /// The device has received all values: this many.
    case done(values: Int)
    /// The characteristic accepts at most this many bytes in one value.
    case tooLong(maximum: Int)
  }

  /// Every ATT_MTU has room for this many bytes (Core 6.0 Vol 3 Part G 5.2.1).
  private static let smallestLimit = 20
  /// No value is longer (Core 6.0 Vol 3 Part F 3.2.9).
  private static let greatestLimit = 512

  private let characteristic: CBCharacteristic
  private let type: CBCharacteristicWriteType
  private var values: ArraySlice<[UInt8]> = []
  private var count = 0

  /// A writer that writes with response if `characteristic` allows it: only then does the device report what it refuses.
  init(_ characteristic: CBCharacteristic) {
    self.characteristic = characteristic
    type = characteristic.properties.contains(.write) ? .withResponse : .withoutResponse
  }

  /// The number of bytes of a value that fit one PDU on the link to `peripheral`.
  static func limit(of peripheral: CBPeripheral) -> Int {
    // The limit of writes with response is that of long writes.
    min(max(peripheral.maximumWriteValueLength(for: .withoutResponse), smallestLimit), greatestLimit)
  }

  /// Starts to write `bytes`, as one value if `uncut`.
  mutating func write(_ bytes: [UInt8], uncut: Bool, to peripheral: CBPeripheral) -> Step {
    let limit = Self.limit(of: peripheral)
    if uncut {
      let maximum = type == .withResponse ? peripheral.maximumWriteValueLength(for: .withResponse) : limit
      guard bytes.count <= maximum else { return .tooLong(maximum: maximum) }
      values = [bytes]
    } else {
      values = LegacyFrame.values(of: bytes, maximumLength: limit)[...]
    }
    count = values.count
    return type == .withResponse ? writeNext(to: peripheral) : writeWhatFits(to: peripheral)
  }

  /// Continues after the device's response to a write.
  mutating func answered(by peripheral: CBPeripheral) -> Step {
    values.isEmpty ? .done(values: count) : writeNext(to: peripheral)
  }

  /// Continues when the link accepts writes without response again.
  mutating func ready(_ peripheral: CBPeripheral) -> Step {
    type == .withoutResponse && !values.isEmpty ? writeWhatFits(to: peripheral) : .underway
  }

  private mutating func writeNext(to peripheral: CBPeripheral) -> Step {
    guard let value = values.popFirst() else { return .underway }
    peripheral.writeValue(Data(value), for: characteristic, type: .withResponse)
    return .underway
  }

  private mutating func writeWhatFits(to peripheral: CBPeripheral) -> Step {
    while peripheral.canSendWriteWithoutResponse, let value = values.popFirst() {
      peripheral.writeValue(Data(value), for: characteristic, type: .withoutResponse)
    }
    return values.isEmpty ? .done(values: count) : .underway
  }
}
