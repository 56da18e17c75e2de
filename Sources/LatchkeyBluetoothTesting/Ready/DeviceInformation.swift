import CoreBluetooth
import Foundation

extension DeviceDefinition {
  /// Who made a device, after the Device Information Service 1.1.
  ///
  /// - Parameter pnp: the PnP ID (3.9): the vendor by its Bluetooth company identifier, the product, and its version; nil for
  ///   none.
  public static func deviceInformation(
    manufacturer: String = "Latchkey", model: String = "Test Device", serial: String = "0001",
    firmware: String = "1.0.0", hardware: String = "A", software: String = "1.0.0",
    pnp: (vendor: UInt16, product: UInt16, version: UInt16)? = nil
  ) -> DeviceDefinition {
    var characteristics = [
      ("2A29", manufacturer), ("2A24", model), ("2A25", serial), ("2A27", hardware), ("2A26", firmware),
      ("2A28", software),
    ].map { Characteristic($0, .read, value: Data($1.utf8)) }
    if let pnp {
      var bytes = LittleEndianBytes()
      // The source of the vendor: the Bluetooth SIG.
      bytes.append(UInt8(0x01))
      bytes.append(pnp.vendor)
      bytes.append(pnp.product)
      bytes.append(pnp.version)
      characteristics.append(Characteristic("2A50", .read, value: bytes.data))
    }
    return DeviceDefinition(
      name: "Device Information", services: [Service("180A", characteristics: characteristics)])
  }
}
