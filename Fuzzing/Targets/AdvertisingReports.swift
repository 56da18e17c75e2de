// modules: LatchkeyByteCoding LatchkeyBluetoothHost
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Delivers the input to a scanning host in advertising reports of all forms, whole or in pieces.
///
/// Each client gets at most one event for a report, with no more data than the advertisers sent.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAdvertisingReports(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  scan(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

/// Pieces of the input, each in a report whose kind its first byte decides.
private func scan(_ bytes: [UInt8]) {
  var host = Host(configuration: HostConfiguration(ownAddress: .staticRandom(1)))
  let clients = [host.addClient(), host.addClient()]
  powerOn(&host)
  guard host.state == .poweredOn else { fatalError("the host is not powered on") }
  host.startScan(clients[0], services: nil, allowDuplicates: true, now: .zero)
  host.startScan(clients[1], services: [0xFFF0, 0x180F], allowDuplicates: false, now: .zero)
  _ = host.dequeueOutputs()
  var script = ByteReader(bytes)
  var sent = 0
  while let kind = try? script.uint8("kind"), let length = try? script.uint8("length"),
    let piece = try? script.bytes(min(Int(length), script.remaining), "piece")
  {
    let isExtended = kind & 1 != 0
    let data = Array(piece.prefix(isExtended ? LEAdvertisingReport.extendedDataCapacity : 31))
    sent += data.count
    var eventType: LEAdvertisingReport.EventType = isExtended ? [] : .legacy
    if kind & 2 != 0 { eventType.formUnion([.scanResponse, .scannable]) } else { eventType.insert(.connectable) }
    let status = LEAdvertisingReport.DataStatus(rawValue: isExtended ? kind >> 2 & 3 : 0) ?? .complete
    let report = LEAdvertisingReport(
      form: isExtended ? .extended : .legacy, eventType: eventType, dataStatus: status,
      address: kind == 0xFF ? nil : .staticRandom(UInt64(kind >> 4)), rssi: Int8(bitPattern: kind), data: data)
    host.receive(HCIEvent.le(.advertisingReports([report])).encode(), now: .zero)
    let outputs = host.dequeueOutputs()
    guard outputs.count <= clients.count else { fatalError("\(outputs.count) events of one report") }
    for case .event(.discovered(let discovery), _) in outputs {
      guard discovery.data.encode().count <= sent else { fatalError("more data than was sent: \(discovery)") }
    }
  }
}

/// Answers the commands of the start, as a controller with the required features alone.
private func powerOn(_ host: inout Host) {
  host.start(now: .zero)
  while true {
    let outputs = host.dequeueOutputs()
    if outputs.isEmpty { return }
    for case .packet(let packet) in outputs {
      guard let command = try? HCICommandPacket(decoding: packet) else { fatalError("\(packet)") }
      let parameters: [UInt8] = command.opcode == .leReadBufferSize ? [0x00, 251, 0, 8] : [0x00]
      let reply = HCIEvent.commandComplete(credits: 1, opcode: command.opcode, parameters: ByteReader(parameters))
      host.receive(reply.encode(), now: .zero)
    }
  }
}
