public import CoreBluetooth
import Foundation

/// What a device is and does: its advertisement, its services, and how each value behaves.
///
/// A definition is made in Swift or read from JSON (`init(json:)`, `docs/device-definition.schema.json`). A ``TestRadio``
/// serves it in a test, `latchkey ble serve FILE` on any controller.
public struct DeviceDefinition: Sendable, Equatable {
  /// The name of the device, 1 to 248 bytes of UTF-8.
  public var name: String
  /// What it advertises.
  public var advertisement: Advertisement
  /// Its services, in the order of their handles. Generic Access and Generic Attribute are always there and not named.
  public var services: [Service]
  /// What it does when an app pairs with it.
  public var pairing: Pairing

  /// A device.
  ///
  /// - Parameter advertisement: by default the name, and the UUIDs of its primary services.
  public init(
    name: String, services: [Service], advertisement: Advertisement? = nil, pairing: Pairing = .automatic
  ) {
    self.name = name
    self.services = services
    self.advertisement =
      advertisement ?? Advertisement(localName: name, services: services.filter(\.isPrimary).map(\.uuid))
    self.pairing = pairing
  }

  /// The same device with the services of another one, which it advertises, too.
  public func adding(_ other: DeviceDefinition) -> DeviceDefinition {
    var both = self
    both.services += other.services
    both.advertisement.services += other.advertisement.services
    return both
  }

  /// What a device advertises.
  public struct Advertisement: Sendable, Equatable {
    /// The name; nil for none.
    public var localName: String?
    /// The UUIDs of services.
    public var services: [CBUUID]
    /// The physical layer of extended advertising, `1M`, `2M` or `coded`; nil for legacy advertising, which all find.
    public var phy: String?
    /// Manufacturer data: the company's identifier, least significant byte first, and its data; nil for none.
    public var manufacturerData: Data?
    /// Data of services, by their UUIDs.
    public var serviceData: [CBUUID: Data]

    /// An advertisement. Flags of 3 bytes, services, manufacturer data and service data come first, then the name, and all
    /// of it into 31 bytes and a scan response of 31 bytes, or, with `phy`, into 229. Only services may be left out and the
    /// name shortened.
    public init(
      localName: String? = nil, services: [CBUUID] = [], phy: String? = nil, manufacturerData: Data? = nil,
      serviceData: [CBUUID: Data] = [:]
    ) {
      self.localName = localName
      self.services = services
      self.phy = phy
      self.manufacturerData = manufacturerData
      self.serviceData = serviceData
    }
  }

  /// What a device does when an app pairs with it.
  public enum Pairing: Sendable, Equatable {
    /// It agrees, unprotected (Just Works).
    case automatic
    /// It refuses.
    case refuse
    /// It has a keyboard, and its user enters other digits than the app shows.
    case wrongPasskey
    /// It has a display, and shows these six digits in every pairing.
    ///
    /// For tests: digits that do not change protect little. Who may try again and again learns one bit of them in each
    /// pairing that fails.
    case displays(passkey: String)
    /// It has a keyboard, and its user enters these six digits. An app that has a keyboard, too, pairs if its user enters
    /// the same; what an app shows is drawn anew each time.
    case enters(passkey: String)
  }

  /// One service.
  public struct Service: Sendable, Equatable {
    /// Its UUID.
    public var uuid: CBUUID
    /// Whether it is a primary service.
    public var isPrimary: Bool
    /// Its characteristics, in the order of their handles.
    public var characteristics: [Characteristic]

    /// A service.
    ///
    /// - Parameter uuid: 4, 8 or 36 characters, as `CBUUID(string:)` takes them.
    public init(_ uuid: String, isPrimary: Bool = true, characteristics: [Characteristic]) {
      self.init(CBUUID(string: uuid), isPrimary: isPrimary, characteristics: characteristics)
    }

    init(_ uuid: CBUUID, isPrimary: Bool, characteristics: [Characteristic]) {
      self.uuid = uuid
      self.isPrimary = isPrimary
      self.characteristics = characteristics
    }
  }

  /// One characteristic.
  public struct Characteristic: Sendable, Equatable {
    /// Its UUID.
    public var uuid: CBUUID
    /// The operations in its declaration.
    public var properties: CBCharacteristicProperties
    /// The accesses that it permits, whatever its declaration says.
    public var permissions: CBAttributePermissions
    /// The value at first, 512 bytes at most.
    public var value: Data
    /// What happens when it is read, written and subscribed to.
    public var behavior: Behavior
    /// Its descriptors, each readable by all. The client characteristic configuration is there by itself.
    public var descriptors: [Descriptor]

    /// A characteristic.
    ///
    /// - Parameters:
    ///   - uuid: 4, 8 or 36 characters, as `CBUUID(string:)` takes them.
    ///   - permissions: by default what the properties need, without encryption.
    public init(
      _ uuid: String, _ properties: CBCharacteristicProperties, permissions: CBAttributePermissions? = nil,
      value: Data = Data(), behavior: Behavior = .stored, descriptors: [Descriptor] = []
    ) {
      self.init(
        CBUUID(string: uuid), properties, permissions: permissions, value: value, behavior: behavior,
        descriptors: descriptors)
    }

    init(
      _ uuid: CBUUID, _ properties: CBCharacteristicProperties, permissions: CBAttributePermissions?, value: Data,
      behavior: Behavior, descriptors: [Descriptor]
    ) {
      self.uuid = uuid
      self.properties = properties
      self.permissions = permissions ?? Self.permissions(for: properties)
      self.value = value
      self.behavior = behavior
      self.descriptors = descriptors
    }

    /// The permissions that properties need.
    static func permissions(for properties: CBCharacteristicProperties) -> CBAttributePermissions {
      var permissions: CBAttributePermissions = []
      if properties.contains(.read) { permissions.insert(.readable) }
      if !properties.isDisjoint(with: [.write, .writeWithoutResponse]) { permissions.insert(.writeable) }
      return permissions
    }

    /// Whether centrals can subscribe to it.
    var isSubscribable: Bool {
      !properties.isDisjoint(with: [.notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired])
    }
  }

  /// One descriptor with a fixed value.
  public struct Descriptor: Sendable, Equatable {
    /// Its UUID.
    public var uuid: CBUUID
    /// Its value, 512 bytes at most.
    public var value: Data

    /// A descriptor.
    ///
    /// - Parameter uuid: 4, 8 or 36 characters, as `CBUUID(string:)` takes them.
    public init(_ uuid: String, value: Data) { self.init(CBUUID(string: uuid), value: value) }

    init(_ uuid: CBUUID, value: Data) {
      self.uuid = uuid
      self.value = value
    }

    /// A user description (2901).
    public static func userDescription(_ text: String) -> Descriptor {
      Descriptor(CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: Data(text.utf8))
    }
  }
}
