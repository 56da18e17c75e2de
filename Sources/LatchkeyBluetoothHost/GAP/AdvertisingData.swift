import LatchkeyByteCoding

/// The AD structures of an advertisement or a scan response (Core 6.0 Vol 3 Part C 11; CSS Part A).
public struct AdvertisingData: Sendable, Hashable {
  /// The type of an AD structure (Assigned Numbers 2.3).
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The type as the air carries it.
    public let rawValue: UInt8
    /// Any type, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Flags.
    public static let flags = Kind(rawValue: 0x01)
    /// Some of the 16-bit service UUIDs.
    public static let incompleteServices16 = Kind(rawValue: 0x02)
    /// All 16-bit service UUIDs.
    public static let completeServices16 = Kind(rawValue: 0x03)
    /// Some of the 32-bit service UUIDs.
    public static let incompleteServices32 = Kind(rawValue: 0x04)
    /// All 32-bit service UUIDs.
    public static let completeServices32 = Kind(rawValue: 0x05)
    /// Some of the 128-bit service UUIDs.
    public static let incompleteServices128 = Kind(rawValue: 0x06)
    /// All 128-bit service UUIDs.
    public static let completeServices128 = Kind(rawValue: 0x07)
    /// The beginning of the name.
    public static let shortenedLocalName = Kind(rawValue: 0x08)
    /// The whole name.
    public static let completeLocalName = Kind(rawValue: 0x09)
    /// Transmit power, dBm.
    public static let txPowerLevel = Kind(rawValue: 0x0A)
    /// Solicited 16-bit service UUIDs.
    public static let solicitedServices16 = Kind(rawValue: 0x14)
    /// Solicited 128-bit service UUIDs.
    public static let solicitedServices128 = Kind(rawValue: 0x15)
    /// Data of a 16-bit service.
    public static let serviceData16 = Kind(rawValue: 0x16)
    /// Solicited 32-bit service UUIDs.
    public static let solicitedServices32 = Kind(rawValue: 0x1F)
    /// Data of a 32-bit service.
    public static let serviceData32 = Kind(rawValue: 0x20)
    /// Data of a 128-bit service.
    public static let serviceData128 = Kind(rawValue: 0x21)
    /// Company identifier and data.
    public static let manufacturerData = Kind(rawValue: 0xFF)
  }

  /// One AD structure.
  public struct Structure: Sendable, Hashable {
    /// The most data in one structure, in bytes: its length counts the type, too.
    public static let capacity = 254

    /// Its type.
    public var kind: Kind
    /// Its data, without length and type.
    public var data: [UInt8]

    /// An AD structure.
    public init(_ kind: Kind, _ data: [UInt8]) {
      self.kind = kind
      self.data = data
    }
  }

  /// The structures in the order of the air.
  public var structures: [Structure]

  /// AD structures in this order.
  public init(_ structures: [Structure] = []) { self.structures = structures }

  /// Decodes an advertiser's bytes. A zero length ends the significant part (Core 6.0 Vol 3 Part C 11). A truncated
  /// structure ends it too, and those before it count, since some advertisers are malformed.
  public init(decoding bytes: [UInt8]) {
    self.init()
    var reader = ByteReader(bytes)
    while let length = try? reader.uint8("AD length"), length > 0,
      var structure = try? reader.subReader(Int(length), "AD structure"), let kind = try? structure.uint8("AD type")
    {
      structures.append(Structure(Kind(rawValue: kind), structure.remainingBytes()))
    }
  }

  /// The encoded bytes; structures with more than 254 bytes of data have no encoding and are left out.
  public func encode() -> [UInt8] {
    var writer = ByteWriter()
    for structure in structures where structure.data.count <= Structure.capacity {
      writer.uint8(UInt8(structure.data.count + 1))
      writer.uint8(structure.kind.rawValue)
      writer.append(structure.data)
    }
    return writer.bytes
  }

  /// The data of the first structure of a kind.
  public subscript(kind: Kind) -> [UInt8]? { structures.first { $0.kind == kind }?.data }

  /// The name, whole or shortened; nil without one or if it is not UTF-8.
  public var localName: String? {
    (self[.completeLocalName] ?? self[.shortenedLocalName]).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// All service UUIDs, in the order of the air.
  public var serviceUUIDs: [BluetoothUUID] {
    uuids([
      .incompleteServices16: 2, .completeServices16: 2, .incompleteServices32: 4, .completeServices32: 4,
      .incompleteServices128: 16, .completeServices128: 16,
    ])
  }

  /// All solicited service UUIDs, in the order of the air.
  public var solicitedServiceUUIDs: [BluetoothUUID] {
    uuids([.solicitedServices16: 2, .solicitedServices32: 4, .solicitedServices128: 16])
  }

  /// Transmit power in dBm.
  public var txPowerLevel: Int8? {
    guard let data = self[.txPowerLevel], data.count == 1, let level = data.first else { return nil }
    return Int8(bitPattern: level)
  }

  /// Service data by service, in the order of the air.
  public var serviceData: [(service: BluetoothUUID, data: [UInt8])] {
    let widths: [Kind: Int] = [.serviceData16: 2, .serviceData32: 4, .serviceData128: 16]
    return structures.compactMap { structure in
      guard let width = widths[structure.kind] else { return nil }
      var reader = ByteReader(structure.data)
      guard let uuid = try? BluetoothUUID(from: &reader, width: width) else { return nil }
      return (uuid, reader.remainingBytes())
    }
  }

  private func uuids(_ widths: [Kind: Int]) -> [BluetoothUUID] {
    structures.flatMap { structure in
      var found: [BluetoothUUID] = []
      guard let width = widths[structure.kind] else { return found }
      var reader = ByteReader(structure.data)
      while let uuid = try? BluetoothUUID(from: &reader, width: width) { found.append(uuid) }
      return found
    }
  }
}
