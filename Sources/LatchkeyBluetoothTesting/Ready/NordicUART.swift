import CoreBluetooth
import Foundation

extension DeviceDefinition {
  /// A serial port as Nordic's UART service has it: what is written to 6E400002… comes back as notifications of 6E400003….
  public static func nordicUART() -> DeviceDefinition {
    let transmit = "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"
    return DeviceDefinition(
      name: "Nordic UART",
      services: [
        Service(
          "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
          characteristics: [
            Characteristic(
              "6E400002-B5A3-F393-E0A9-E50E24DCCA9E", [.write, .writeWithoutResponse],
              behavior: .echo(to: CBUUID(string: transmit))),
            Characteristic(transmit, .notify),
          ])
      ])
  }
}
