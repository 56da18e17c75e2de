import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// A server half over a small database, to be played transcripts.
///
/// Inputs: `>` PDU; `! value HEX`, `! written`, `! error CODE` the owner's answer to the latest request; `~ HANDLE HEX` a
/// new value; `t SECONDS` the time; `r RANGE OWNER` a service goes, `a` one is added; `x` the link goes; `m BYTES` ATT_MTU;
/// `s clear|bonded|encrypted SIZE|authenticated SIZE` the link's security; `k SIZE` begins anew with a least size of keys.
/// Outputs: `<` PDU; `? read OWNER HANDLE @OFFSET`, `? write OWNER HANDLE@OFFSET=HEX …`, `? command …` a question;
/// `* OWNER HANDLE SUBSCRIPTION`, `* mtu N`, `* confirmed HANDLE`, `* dead`; `* queued`, `* full`, `* nobody` for `~`.
struct ATTServerBench: ATTBench {
  static let link = LinkID(7)
  static let peer = BluetoothAddress.staticRandom(0x0102_0304_0506)
  static let long = [UInt8](0..<60)
  static let wide = BluetoothUUID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

  var database: GATTDatabase
  var server: ATTServer
  var ids: UInt64 = 0
  var now: Duration = .zero
  var latest: ServerRequestID?

  /// The database:
  ///
  ///     0001-0005  1800: 0003 device name "Lamp", 0005 appearance
  ///     0006-0009  1801: 0008 service changed, 0009 its configuration
  ///     000a-0017  180F of owner 1: 000c dynamic, notify and indicate, 000d configuration; 000f dynamic, 0010 2901;
  ///                0012 fixed; 0014 write only, indicate, 0015 configuration; 0017 on an encrypted link only
  ///     0018-001a  a secondary service of a 128-bit UUID, of owner 2: 001a fixed, 60 bytes
  ///     001b-001f  a primary service of the same UUID, of owner 2, that includes both: 001f dynamic
  ///
  /// With caching, as every host has it, 1801 is 0006-000f: 000b client features, 000d hash, 000f server features; the
  /// others are six handles further.
  init(mtu: Int = 23, preferredMTU: Int = 517, hasCaching: Bool = false) throws {
    database = hasCaching ? GATTDatabase(deviceName: "Lamp", appearance: 0x0580) : Self.plainDatabase
    server = ATTServer(link: Self.link, peer: Self.peer, preferredMTU: preferredMTU)
    server.mtu = mtu
    let first = try database.add(
      GATTServiceDefinition(
        uuid: 0x180F,
        characteristics: [
          GATTCharacteristicDefinition(
            uuid: 0x2A19, properties: [.read, .notify, .indicate], permissions: .readable),
          GATTCharacteristicDefinition(
            uuid: 0xFFF2, properties: [.read, .write, .writeWithoutResponse], permissions: [.readable, .writeable],
            descriptors: [GATTDescriptorDefinition(uuid: 0x2901, value: [0x61, 0x62, 0x63])]),
          GATTCharacteristicDefinition(
            uuid: 0xFFF3, properties: .read, permissions: .readable, staticValue: [1, 2, 3, 4, 5]),
          GATTCharacteristicDefinition(uuid: 0xFFF4, properties: [.write, .indicate], permissions: .writeable),
          GATTCharacteristicDefinition(
            uuid: 0xFFF5, properties: [.read, .write], permissions: [.readEncryptionRequired, .writeEncryptionRequired]),
        ]), owner: ClientID(1))
    let second = try database.add(
      GATTServiceDefinition(
        uuid: Self.wide, isPrimary: false,
        characteristics: [
          GATTCharacteristicDefinition(
            uuid: Self.wide, properties: .read, permissions: .readable, staticValue: Self.long)
        ]), owner: ClientID(2))
    _ = try database.add(
      GATTServiceDefinition(
        uuid: Self.wide, includedServices: [first.range.start, second.range.start],
        characteristics: [
          GATTCharacteristicDefinition(
            uuid: 0xFFF6, properties: [.read, .write], permissions: [.readable, .writeable])
        ]), owner: ClientID(2))
  }

  private static var plainDatabase: GATTDatabase {
    var database = GATTDatabase()
    _ = database.place(
      GATTServiceDefinition(
        uuid: 0x1800,
        characteristics: [
          GATTCharacteristicDefinition(
            uuid: 0x2A00, properties: .read, permissions: .readable, staticValue: Array("Lamp".utf8)),
          GATTCharacteristicDefinition(
            uuid: 0x2A01, properties: .read, permissions: .readable, staticValue: [0x80, 0x05]),
        ]), at: 1, owner: nil)
    _ = database.place(
      GATTServiceDefinition(
        uuid: 0x1801,
        characteristics: [GATTCharacteristicDefinition(uuid: 0x2A05, properties: .indicate, permissions: [])]),
      at: 6, owner: nil)
    return database
  }

  /// A server half over another database.
  init(database: GATTDatabase) {
    self.database = database
    server = ATTServer(link: Self.link, peer: Self.peer, preferredMTU: 517)
  }

  mutating func perform(_ line: String) throws -> [String]? {
    var outputs: [ATTServerOutput] = []
    var words = ATTText.words(line)
    switch line.first {
    case ">":
      let pdu = ByteReader(try Hexadecimal.decode(words.joined()))
      server.receive(pdu, database: database, now: now, ids: &ids, into: &outputs)
    case "!":
      let response: GATTServerResponse
      switch words.removeFirst() {
      case "value": response = .value(try Hexadecimal.decode(words.joined()))
      case "error": response = .error(ATTErrorCode(rawValue: try Hexadecimal.decode(words.joined())[0]))
      default: response = .written
      }
      let id = try #require(latest)
      let wasAwaited = server.respond(to: id, with: response, database: database, ids: &ids, into: &outputs)
      #expect(wasAwaited)
    case "~":
      let value = try Hexadecimal.decode(words.dropFirst().joined())
      switch server.update(value, of: try ATTText.handle(reading: words[0]), now: now) {
      case .send(let frame): return [ATTText.frame(frame)]
      case .notSubscribed: return ["* nobody"]
      case .queued: return ["* queued"]
      case .full: return ["* full"]
      }
    case "t":
      now = .seconds(try #require(Double(words[0])))
      server.handleTimeout(now: now, into: &outputs)
    case "r":
      let range = try ATTText.range(reading: words[0])
      #expect(database.remove(range, owner: ClientID(try #require(UInt32(words[1])))))
      server.attributesRemoved(in: range, database: database, ids: &ids, into: &outputs)
      server.databaseChanged(database)
    case "a":
      _ = try database.add(GATTServiceDefinition(uuid: 0xFFE0), owner: ClientID(3))
      server.databaseChanged(database)
    case "x": server.disconnect(into: &outputs)
    case "m": server.mtu = try #require(Int(words[0]))
    case "k":
      let size = try #require(UInt8(words[0]))
      server = ATTServer(link: Self.link, peer: Self.peer, preferredMTU: 517, leastKeySize: size)
    case "s": try secure(words)
    default: return nil
    }
    return outputs.map { describe($0) }
  }

  private mutating func secure(_ words: [String]) throws {
    var security = LinkSecurity()
    security.isEncrypted = words.count == 2
    security.isAuthenticated = words[0] == "authenticated"
    if security.isEncrypted { security.keySize = try #require(UInt8(words[1])) }
    server.security = security
    server.hasKey = words[0] != "clear"
  }

  private mutating func describe(_ output: ATTServerOutput) -> String {
    switch output {
    case .send(let frame): return ATTText.frame(frame)
    case .readRequest(let owner, let request):
      latest = request.id
      #expect(request.link == Self.link && request.peer == Self.peer)
      return "? read \(owner.value) \(ATTText.handle(request.handle)) @\(request.offset)"
    case .writeRequest(let owner, let request):
      if let id = request.id { latest = id }
      #expect(request.link == Self.link && request.peer == Self.peer)
      let parts = request.parts.map {
        "\(ATTText.handle($0.handle))@\($0.offset)=\(Hexadecimal.encode($0.value))"
      }
      return "? \(request.id == nil ? "command" : "write") \(owner.value) \(parts.joined(separator: " "))"
    case .subscriptionChanged(let owner, let handle, let subscription):
      return "* \(owner.value) \(ATTText.handle(handle)) \(subscription)"
    case .mtu(let mtu): return "* mtu \(mtu)"
    case .indicationConfirmed(let handle): return "* confirmed \(ATTText.handle(handle))"
    case .bearerDead: return "* dead"
    }
  }
}
