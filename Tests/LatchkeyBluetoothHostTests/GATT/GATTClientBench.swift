import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// A client half, to be played transcripts.
///
/// Inputs: `+ PROCEDURE` of client 1, `+2 PROCEDURE` of client 2, numbered from 1 on, `! PROCEDURE` of client 1 that may
/// raise security; `r` it is raised, `g` it is given up, `b` the link is barred; `>` PDU; `t SECONDS` the time;
/// `- CLIENT` a client goes; `x` the link goes; `k` the peer is bonded, and what is known of its database may be used; `n` a
/// new link; `m BYTES` ATT_MTU; `e BYTES` begins anew with an exchange of ATT_MTU; `w HANDLE HEX` a Write Command.
/// Procedures: `services [UUID …]`, `included RANGE`,
/// `characteristics RANGE`, `descriptors RANGE`, `read HANDLE`, `uuid|first UUID RANGE`, `changes`, `write HANDLE HEX`,
/// `on|off VALUE END PROPERTIES`.
/// Outputs: `<` PDU; `= NUMBER OUTCOME`; `* HANDLE VALUE CLIENTS`, `* mtu N`, `* changed RANGE`, `* security CODE for
/// CLIENT`, `* dead`, `* no command`.
struct GATTClientBench: ATTBench {
  var client: GATTClient
  var now: Duration = .zero
  private var latest: UInt64 = 0
  /// What is known of the peer's database.
  private(set) var known: KnownDatabase?

  init(preferredMTU: Int = 23, mtu: Int = 23) {
    client = GATTClient(preferredMTU: preferredMTU, exchangesMTU: preferredMTU > 23)
    client.mtu = mtu
  }

  mutating func perform(_ line: String) throws -> [String]? {
    var outputs: [GATTClientOutput] = []
    var words = ATTText.words(line)
    switch line.first {
    case "+", "!":
      let isSecond = words[0] == "2"
      if isSecond { words.removeFirst() }
      latest += 1
      client.submit(
        try procedure(words), id: RequestID(latest), client: ClientID(isSecond ? 2 : 1),
        mayRaiseSecurity: line.first == "!", into: &outputs)
    case "r": client.resume()
    case "g": client.giveUp(nil, into: &outputs)
    case "b": client.bar(.keyMissing, into: &outputs)
    case ">": client.receive(ByteReader(try Hexadecimal.decode(words.joined())), into: &outputs)
    case "t":
      now = .seconds(try #require(Double(words[0])))
      client.handleTimeout(now: now, into: &outputs)
    case "-": client.removeClient(ClientID(try #require(UInt32(words[0]))), into: &outputs)
    case "x": client.disconnect(into: &outputs)
    case "k": client.useDatabase(known)
    case "n":
      known = client.knownDatabase
      client = GATTClient(preferredMTU: 23, exchangesMTU: false)
    case "m": client.mtu = try #require(Int(words[0]))
    case "e": client = GATTClient(preferredMTU: try #require(Int(words[0])), exchangesMTU: true)
    case "w":
      let value = try Hexadecimal.decode(words.dropFirst().joined())
      let command = client.writeCommand(value, to: try ATTText.handle(reading: words[0]))
      return [command.map { ATTText.frame($0) } ?? "* no command"]
    default: return nil
    }
    var lines = outputs.map { text($0) }
    outputs = []
    while let frame = client.nextFrame(now: now, into: &outputs) {
      lines += outputs.map { text($0) } + [ATTText.frame(frame)]
      outputs = []
    }
    return lines + outputs.map { text($0) }
  }

  private func procedure(_ words: [String]) throws -> GATTProcedure {
    let argument = words.count > 1 ? words[1] : ""
    switch words[0] {
    case "services":
      return .discoverServices(words.count == 1 ? nil : try words.dropFirst().map { try ATTText.uuid(reading: $0) })
    case "included": return .discoverIncludedServices(try ATTText.range(reading: argument))
    case "characteristics": return .discoverCharacteristics(try ATTText.range(reading: argument))
    case "descriptors": return .discoverDescriptors(try ATTText.range(reading: argument))
    case "read": return .read(try ATTText.handle(reading: argument))
    case "uuid":
      return .readByUUID(try ATTText.uuid(reading: argument), try ATTText.range(reading: words[2]))
    case "first":
      return .readFirst(try ATTText.uuid(reading: argument), try ATTText.range(reading: words[2]))
    case "changes": return .listenForServiceChanges
    case "write":
      return .write(
        try ATTText.handle(reading: argument), try Hexadecimal.decode(words.dropFirst(2).joined()))
    default:
      let value = try ATTText.handle(reading: argument)
      let record = GATTCharacteristicRecord(
        uuid: 0x2A19, declaration: value &- 1, valueHandle: value, end: try ATTText.handle(reading: words[2]),
        properties: GATTProperties(rawValue: try #require(UInt8(words[3], radix: 16))))
      return .configureNotifications(record, enabled: words[0] == "on")
    }
  }

  private func text(_ output: GATTClientOutput) -> String {
    switch output {
    case .completion(let id, let outcome): "= \(id.value) \(text(outcome))"
    case .notification(let handle, let value, let clients):
      "* \(ATTText.handle(handle)) \(Hexadecimal.encode(value)) \(clients.map { "\($0.value)" }.joined(separator: ","))"
    case .send(let frame): ATTText.frame(frame)
    case .mtu(let mtu): "* mtu \(mtu)"
    case .servicesChanged(let range): "* changed \(ATTText.range(range))"
    case .needsSecurity(let code, let client):
      "* security \(Hexadecimal.encode([code.rawValue])) for \(client.value)"
    case .bearerDead: "* dead"
    }
  }

  private func text(_ outcome: GATTOutcome) -> String {
    switch outcome {
    case .services(let services), .includedServices(let services):
      services.map { "\(ATTText.range($0.range)) \($0.isPrimary ? "" : "secondary ")\($0.uuid)" }.joined(separator: ";")
    case .characteristics(let characteristics):
      characteristics.map {
        "\(ATTText.handle($0.declaration)) \(ATTText.handle($0.valueHandle))-\(ATTText.handle($0.end)) "
          + "\(Hexadecimal.encode([$0.properties.rawValue])) \($0.uuid)"
      }.joined(separator: ";")
    case .descriptors(let descriptors):
      descriptors.map { "\(ATTText.handle($0.handle)) \($0.uuid)" }.joined(separator: ";")
    case .value(let value): "value " + Hexadecimal.encode(value)
    case .values(let values):
      values.map { "\(ATTText.handle($0.handle))=\(Hexadecimal.encode($0.value))" }.joined(separator: ";")
    case .written: "written"
    case .failed(.refused(let code, let handle)):
      "refused \(Hexadecimal.encode([code.rawValue])) \(ATTText.handle(handle))"
    case .failed(let failure): "\(failure)"
    }
  }
}
