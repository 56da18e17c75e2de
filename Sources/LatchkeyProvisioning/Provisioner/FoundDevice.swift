import CoreBluetooth
public import Foundation
import LatchkeyProvisioningProtocol

/// A device that advertises that it can be provisioned. Its name and its protocols are what it says: they prove nothing.
public struct FoundDevice: Hashable, Sendable {
  /// The peripheral's identifier on this host, as Core Bluetooth gives it.
  public let identifier: UUID
  /// The name that it advertises; nil if it has none.
  public var name: String?
  /// The strength of its signal in dBm.
  public var rssi: Int
  /// The protocols that its advertisements have shown. It may offer more, which a connection shows.
  public var protocols: Set<ProvisioningProtocol>
  /// Whether it says that somebody has to act at it first; nil if it does not say.
  public var needsAuthorization: Bool?
  /// The services that may be Espressif's, by UUID.
  var espressifServices: Set<String> = []

  /// The device of an advertisement; nil if it offers no known protocol.
  init?(identifier: UUID, name: String?, rssi: Int, services: [CBUUID], serviceData: [CBUUID: Data]) {
    var protocols: Set<ProvisioningProtocol> = []
    for service in services.map(\.uuidString) {
      switch service {
      case ProvisioningServices.secure: protocols.insert(.secure)
      case ProvisioningServices.improv: protocols.insert(.improv)
      case LegacyService.encrypted.rawValue, LegacyService.plain.rawValue: protocols.insert(.legacy)
      default:
        // A maker may have chosen any UUID: by convention the name tells.
        let isConventional = name?.lowercased().hasPrefix(ProvisioningServices.espressifNamePrefix) == true
        guard ProvisioningServices.espressif.contains(service) || (isConventional && service.utf8.count == 36) else {
          continue
        }
        protocols.insert(.espressif)
        espressifServices.insert(service)
      }
    }
    guard !protocols.isEmpty else { return nil }
    self.identifier = identifier
    self.name = name
    self.rssi = rssi
    self.protocols = protocols
    let state = serviceData[CBUUID(string: ProvisioningServices.improvData)]?.first
    needsAuthorization = state.map { $0 == 1 }
  }

  /// Adds what a later advertisement of the same device shows.
  mutating func merge(_ later: FoundDevice) {
    name = later.name ?? name
    rssi = later.rssi
    protocols.formUnion(later.protocols)
    needsAuthorization = later.needsAuthorization ?? needsAuthorization
    espressifServices.formUnion(later.espressifServices)
  }
}

/// The services that tell the protocols.
enum ProvisioningServices {
  static let secure = SecureService.uuid
  static let improv = ImprovService.uuid
  /// The 16-bit UUID of Improv's service data.
  static let improvData = "4677"
  /// The services of Espressif's examples and of its manager's default.
  static let espressif: Set = [
    "021A9004-0382-4AEA-BFF4-6B3F1C5ADFB4", "1775244D-6B43-439B-877C-060F2D9BED07", "FFFF",
  ]
  static let espressifNamePrefix = "prov_"
}
