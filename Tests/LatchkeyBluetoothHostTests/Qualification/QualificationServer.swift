import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// The server of the qualification tests, over a database of their own.
///
/// Scripts name an attribute by its service and its offset from the service's first handle: `Q02` is the third attribute
/// of Q, `Q$$` its last one. In a PDU it stands for two bytes, as on the air, elsewhere for a handle's four digits.
///
///     G  1800: G02 device name "Lamp", G04 appearance
///     H  1801: H02 service changed, H03 its configuration, H05 client features, H07 hash, H09 server features
///     P  fff0: P02 fff1 = 0102030405, P03 2901 = 616263, P04 2904 = 0400ad27010000
///              P06 fff2 = 11*22 22*22 33*16, P07 2901 = 44*22 55*22, P08 2904 = 06fe2f27010000, P09 2905 = P04 P08
///     Q  ffe0: Q02 ffe1 read and write, Q04 ffe2 write, Q06 ffe3 read, Q08 ffe4 notify and indicate, Q09 2902,
///              Q0b ffe5 read and indicate, Q0c 2902, Q0e ffe6 read and write; all values are the owner's
///     R  ffd0: R02 ffd1 on an encrypted link, R04 ffd2 on an authenticated one, R06 ffd3 notify,
///              R07 2902 on an encrypted link
///     S  secondary, a5*16: S02 a6*16 = a1a2a3a4a5
///     T  00112233-…: T01 includes P, T02 includes S, T04 c4*16 read and write, T05 d5*16 = 0d; of owner 2
///     U  fff0 once more, empty
///     V  00112233-… once more, empty
///     Z00 is the handle after the last one.
struct QualificationServer {
  private var bench: ATTServerBench
  private let services: [Character: AttributeHandleRange]

  init() throws {
    var database = GATTDatabase(deviceName: "Lamp", appearance: 0x0580)
    var services: [Character: AttributeHandleRange] = [:]
    for service in database.services {
      services[service.uuid == AttributeType.genericAccess ? "G" : "H"] = service.range
    }
    // A descriptor of P lists handles of P, so its place must be known before.
    var probe = database
    let start = try probe.add(Self.formats(at: 0), owner: ClientID(1)).range.start
    services["P"] = try database.add(Self.formats(at: start), owner: ClientID(1)).range
    services["Q"] = try database.add(Self.values, owner: ClientID(1)).range
    services["R"] = try database.add(Self.secrets, owner: ClientID(1)).range
    let inner = try database.add(Self.inner, owner: ClientID(1)).range
    services["S"] = inner
    services["T"] = try database.add(Self.outer(including: [start, inner.start]), owner: ClientID(2)).range
    services["U"] = try database.add(GATTServiceDefinition(uuid: 0xFFF0), owner: ClientID(1)).range
    let last = try database.add(GATTServiceDefinition(uuid: ATTServerBench.wide), owner: ClientID(1)).range
    services["V"] = last
    services["Z"] = AttributeHandleRange(last.end + 1, last.end + 1)
    self.services = services
    bench = ATTServerBench(database: database)
  }

  /// Plays a case.
  mutating func play(_ test: QualificationCase) throws {
    let lines = try test.script.split(separator: "\n").map { try resolve($0.prefix { $0 != "#" }) }
    try bench.play(lines.joined(separator: "\n"), test.location)
  }

  /// A line with the handles that it names.
  private func resolve(_ line: Substring) throws -> String {
    let isPDU = line.hasPrefix(">") || line.hasPrefix("<")
    var rest = line
    var text = ""
    while let character = rest.popFirst() {
      guard let range = services[character] else {
        text.append(character)
        continue
      }
      let offset = rest.prefix(2)
      rest = rest.dropFirst(2)
      let distance: AttributeHandle? = offset == "$$" ? range.end - range.start : AttributeHandle(offset, radix: 16)
      let handle = try range.start + #require(distance)
      text += ATTText.handle(isPDU ? handle.byteSwapped : handle)
    }
    return text
  }
}

extension QualificationServer {
  private static func uuid(_ byte: UInt64) -> BluetoothUUID {
    BluetoothUUID(high: byte &* 0x0101_0101_0101_0101, low: byte &* 0x0101_0101_0101_0101)
  }

  private static func formats(at start: AttributeHandle) -> GATTServiceDefinition {
    var aggregate = ByteWriter(capacity: 4)
    aggregate.uint16(start &+ 0x04)
    aggregate.uint16(start &+ 0x08)
    let long = [UInt8](repeating: 0x44, count: 22) + [UInt8](repeating: 0x55, count: 22)
    return GATTServiceDefinition(
      uuid: 0xFFF0,
      characteristics: [
        GATTCharacteristicDefinition(
          uuid: 0xFFF1, properties: .read, permissions: .readable, staticValue: [1, 2, 3, 4, 5],
          descriptors: [
            GATTDescriptorDefinition(uuid: 0x2901, value: [0x61, 0x62, 0x63]),
            GATTDescriptorDefinition(uuid: 0x2904, value: [0x04, 0x00, 0xAD, 0x27, 0x01, 0x00, 0x00]),
          ]),
        GATTCharacteristicDefinition(
          uuid: 0xFFF2, properties: .read, permissions: .readable,
          staticValue: [UInt8](repeating: 0x11, count: 22) + [UInt8](repeating: 0x22, count: 22)
            + [UInt8](repeating: 0x33, count: 16),
          descriptors: [
            GATTDescriptorDefinition(uuid: 0x2901, value: long),
            GATTDescriptorDefinition(uuid: 0x2904, value: [0x06, 0xFE, 0x2F, 0x27, 0x01, 0x00, 0x00]),
            GATTDescriptorDefinition(uuid: 0x2905, value: aggregate.bytes),
          ]),
      ])
  }

  private static let values = GATTServiceDefinition(
    uuid: 0xFFE0,
    characteristics: [
      GATTCharacteristicDefinition(
        uuid: 0xFFE1, properties: [.read, .write, .writeWithoutResponse], permissions: [.readable, .writeable]),
      GATTCharacteristicDefinition(uuid: 0xFFE2, properties: .write, permissions: .writeable),
      GATTCharacteristicDefinition(uuid: 0xFFE3, properties: .read, permissions: .readable),
      GATTCharacteristicDefinition(uuid: 0xFFE4, properties: [.notify, .indicate], permissions: []),
      GATTCharacteristicDefinition(uuid: 0xFFE5, properties: [.read, .indicate], permissions: .readable),
      GATTCharacteristicDefinition(uuid: 0xFFE6, properties: [.read, .write], permissions: [.readable, .writeable]),
    ])

  private static var secrets: GATTServiceDefinition {
    var guarded = GATTCharacteristicDefinition(uuid: 0xFFD3, properties: .notify, permissions: .readable)
    guarded.needsEncryptionToSubscribe = true
    return GATTServiceDefinition(
      uuid: 0xFFD0,
      characteristics: [
        GATTCharacteristicDefinition(
          uuid: 0xFFD1, properties: [.read, .write], permissions: [.readEncryptionRequired, .writeEncryptionRequired]),
        GATTCharacteristicDefinition(
          uuid: 0xFFD2, properties: [.read, .write],
          permissions: [.readAuthenticationRequired, .writeAuthenticationRequired]),
        guarded,
      ])
  }

  private static let inner = GATTServiceDefinition(
    uuid: uuid(0xA5), isPrimary: false,
    characteristics: [
      GATTCharacteristicDefinition(
        uuid: uuid(0xA6), properties: .read, permissions: .readable, staticValue: [0xA1, 0xA2, 0xA3, 0xA4, 0xA5])
    ])

  private static func outer(including included: [AttributeHandle]) -> GATTServiceDefinition {
    GATTServiceDefinition(
      uuid: ATTServerBench.wide, includedServices: included,
      characteristics: [
        GATTCharacteristicDefinition(
          uuid: uuid(0xC4), properties: [.read, .write], permissions: [.readable, .writeable],
          descriptors: [GATTDescriptorDefinition(uuid: uuid(0xD5), value: [0x0D])])
      ])
  }
}
