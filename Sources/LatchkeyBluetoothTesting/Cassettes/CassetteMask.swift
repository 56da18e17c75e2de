package import CoreBluetooth
import Foundation
import LatchkeyBluetoothHost

/// What a cassette does not tell of what was recorded.
package struct CassetteMask: Sendable {
  /// The characteristics, descriptors and services' data whose values are left out, beside the standard ones.
  package var uuids: Set<CBUUID>
  /// Whether serial numbers, system IDs and addresses are kept.
  package var keepsIdentifiers: Bool

  /// Serial Number String and System ID, which has the address in it (Device Information Service 3.3, 3.5).
  static let standard: Set<CBUUID> = [CBUUID(string: "2A25"), CBUUID(string: "2A23")]

  package init(uuids: Set<CBUUID> = [], keepsIdentifiers: Bool = false) {
    self.uuids = uuids
    self.keepsIdentifiers = keepsIdentifiers
  }

  func masks(_ uuid: CBUUID) -> Bool { uuids.contains(uuid) || (!keepsIdentifiers && Self.standard.contains(uuid)) }

  /// A value of an attribute, or its length alone.
  func value(_ bytes: [UInt8], of uuid: CBUUID, _ addresses: HiddenAddresses) -> Cassette.Value {
    masks(uuid) || hiding(addresses, in: bytes) != bytes ? .masked(count: bytes.count) : .bytes(Data(bytes))
  }

  /// The bytes with zeros in place of addresses.
  func hiding(_ addresses: HiddenAddresses, in bytes: [UInt8]) -> [UInt8] {
    keepsIdentifiers ? bytes : addresses.hiding(bytes)
  }

  // MARK: Advertisements

  /// Structures with keys and addresses: TK, Secure Connections' confirmation and random value, the target of directed
  /// advertising, the device's own address, and encrypted data's key material (Assigned Numbers 2.3).
  private static let secretKinds: Set<UInt8> = [0x10, 0x17, 0x18, 0x1B, 0x22, 0x23, 0x2E]

  /// An advertisement with zeros in place of what is not told; its structure stays.
  func advertisement(_ bytes: [UInt8], _ addresses: HiddenAddresses) -> Data {
    var data = hiding(addresses, in: bytes)
    var place = 0
    while place + 1 < data.count, data[place] > 0 {
      let end = min(data.count, place + 1 + Int(data[place]))
      let kind = data[place + 1]
      var start = place + 2
      var isHidden = !keepsIdentifiers && Self.secretKinds.contains(kind)
      if let width = Self.serviceDataWidths[kind], start + width <= end,
        let uuid = BluetoothUUID(littleEndian: Array(data[start..<start + width]))
      {
        if masks(CBUUID(string: "\(uuid)")) {
          isHidden = true
          start += width
        }
      }
      if isHidden, start < end { for index in start..<end { data[index] = 0 } }
      place = end
    }
    return Data(data)
  }

  /// The bytes of the UUID in each kind of service data.
  private static let serviceDataWidths: [UInt8: Int] = [0x16: 2, 0x20: 4, 0x21: 16]
}
