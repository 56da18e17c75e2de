import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Follows the packets between hosts and controllers, and keeps what each device advertised and what was exchanged with it.
///
/// The device is the end that was connected to: its database is what the central uses. What a central offers itself is left out,
/// and so is all of the Security Manager protocol. A machine: packets with their times go in, devices come out; what it keeps
/// is bounded.
package struct ExchangeRecorder: Sendable {
  private struct LinkKey: Hashable {
    let controller: UInt16
    let handle: ConnectionHandle
  }

  private struct Link {
    var device: RecordedDevice.Identity
    /// Whether the device is the peer, not the host; nil until a PDU tells.
    var isDevicePeer: Bool?
    var sent = ACLReassembler()
    var received = ACLReassembler()
    var bearer = RecordedBearer()
  }

  /// The parts of a long advertisement, which extended reports bring one by one.
  private struct PartialKey: Hashable {
    let address: BluetoothAddress
    let set: UInt8?
    let isScanResponse: Bool
  }

  /// A longer pause is a clock that was set.
  private static let longestPause = Duration.seconds(86_400)
  private static let partialCapacity = 256
  /// Controllers whose addresses are remembered, and the addresses of each.
  private static let controllerCapacity = 64
  private static let addressCapacity = 256

  private var links: [LinkKey: Link] = [:]
  private var known: [RecordedDevice.Identity: RecordedDevice] = [:]
  private var order: [RecordedDevice.Identity] = []
  private var partial: [PartialKey: [UInt8]] = [:]
  /// The addresses that hosts have used, by controller.
  private var ownAddresses: [UInt16: Set<BluetoothAddress>] = [:]
  private var budget = RecorderBudget()
  private var latest: Duration?
  /// The time since the first packet.
  package private(set) var time = Duration.zero

  package init() {}

  /// Handles the next packet.
  package mutating func receive(_ packet: CapturedPacket) {
    if let latest {
      let pause = packet.time - latest
      if pause > .zero, pause <= Self.longestPause { time += pause }
    }
    latest = packet.time
    switch (packet.direction, HCIPacketType(of: packet.bytes)) {
    case (.toController, .command?): command(packet)
    case (.fromController, .event?): event(packet)
    case (_, .acl?): data(packet)
    default: break
    }
  }

  /// Ends all connections: there are no more packets.
  package mutating func end() {
    for key in links.keys.sorted(by: { ($0.controller, $0.handle.rawValue) < ($1.controller, $1.handle.rawValue) }) {
      endLink(key)
    }
  }

  /// The devices, in the order in which they were seen. A link of two hosts that were both recorded is seen from both ends: the
  /// device is the central's peer alone.
  package var devices: [RecordedDevice] {
    let hostAddresses = ownAddresses.values.reduce(into: Set<BluetoothAddress>()) { $0.formUnion($1) }
    return order.compactMap { identity -> RecordedDevice? in
      guard var device = known[identity] else { return nil }
      if case .host(let controller) = identity {
        let isSeenByPeer = (ownAddresses[controller] ?? []).contains { (known[.peer($0)]?.connections ?? 0) > 0 }
        if isSeenByPeer || device.connections == 0 { return nil }
      }
      device.hostAddresses = hostAddresses
      return device
    }
  }

  // MARK: Devices and links

  private mutating func withDevice(
    _ identity: RecordedDevice.Identity, _ body: (inout RecordedDevice, inout RecorderBudget) -> Void
  ) {
    if known[identity] == nil {
      guard order.count < RecorderBudget.devices else { return }
      order.append(identity)
    }
    body(&known[identity, default: RecordedDevice(identity)], &budget)
  }

  private mutating func begin(_ complete: LEConnectionComplete, _ controller: UInt16) {
    let key = LinkKey(controller: controller, handle: complete.connectionHandle)
    endLink(key)
    guard links.count < RecorderBudget.links else { return }
    let identity: RecordedDevice.Identity = complete.role == .central ? .peer(complete.peer) : .host(controller)
    links[key] = Link(device: identity, isDevicePeer: complete.role == .central)
    withDevice(identity) { device, _ in
      device.connections += 1
      guard device.addresses.count < Self.addressCapacity else { return }
      device.addresses.insert(complete.peer)
      guard let resolvable = complete.resolvableAddresses else { return }
      for address in [resolvable.local, resolvable.peer] where address.value != 0 { device.addresses.insert(address) }
    }
  }

  private mutating func endLink(_ key: LinkKey) {
    guard var link = links.removeValue(forKey: key), known[link.device] != nil else { return }
    withDevice(link.device) { device, budget in link.bearer.end(&device, &budget) }
  }

  private mutating func endLinks(of controller: UInt16) {
    for key in links.keys where key.controller == controller { endLink(key) }
  }

  // MARK: Commands and events

  private mutating func command(_ packet: CapturedPacket) {
    var reader = ByteReader(packet.bytes, from: 1)
    guard let opcode = try? HCIOpcode(from: &reader), (try? reader.uint8("length")) != nil else { return }
    switch opcode {
    case .reset: endLinks(of: packet.controller)
    case .leSetRandomAddress: addOwnAddress(&reader, .random, packet.controller)
    case .leSetAdvertisingSetRandomAddress:
      if (try? reader.uint8("handle")) != nil { addOwnAddress(&reader, .random, packet.controller) }
    case .leSetAdvertisingData, .leSetScanResponseData:
      guard let count = try? reader.uint8("length"), let data = try? reader.bytes(Int(count), "data") else { return }
      advertise(data, isScanResponse: opcode == .leSetScanResponseData, packet.controller)
    case .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData:
      // Of data in fragments a host's own recording does without: operation 3 is whole data.
      guard (try? reader.uint8("handle")) != nil, let operation = try? reader.uint8("operation"), operation == 3,
        (try? reader.uint8("preference")) != nil, let count = try? reader.uint8("length"),
        let data = try? reader.bytes(Int(count), "data")
      else { return }
      advertise(data, isScanResponse: opcode == .leSetExtendedScanResponseData, packet.controller)
    default: break
    }
  }

  private mutating func addOwnAddress(_ reader: inout ByteReader, _ kind: BluetoothAddress.Kind, _ controller: UInt16) {
    guard let address = try? BluetoothAddress(from: &reader, kind: kind),
      ownAddresses[controller] != nil || ownAddresses.count < Self.controllerCapacity,
      ownAddresses[controller, default: []].count < Self.addressCapacity
    else { return }
    ownAddresses[controller, default: []].insert(address)
  }

  /// Records what the host advertises itself.
  private mutating func advertise(_ data: [UInt8], isScanResponse: Bool, _ controller: UInt16) {
    guard !data.isEmpty else { return }
    let time = time
    withDevice(.host(controller)) { device, budget in
      device.append(
        RecordedDevice.Advertisement(
          time: time, rssi: nil, data: data, isScanResponse: isScanResponse, isConnectable: true), &budget)
    }
  }

  private mutating func event(_ packet: CapturedPacket) {
    switch try? HCIEvent(decoding: Self.plain(packet.bytes)) {
    case .le(.connectionComplete(let complete))? where complete.status == .success:
      begin(complete, packet.controller)
    case .disconnectionComplete(let complete)? where complete.status == .success:
      endLink(LinkKey(controller: packet.controller, handle: complete.connectionHandle))
    case .le(.advertisingReports(let reports))?:
      for report in reports { receive(report) }
    case .commandComplete(_, .readBDADDR, var parameters)?:
      if (try? parameters.uint8("status")) == 0 { addOwnAddress(&parameters, .public, packet.controller) }
    default: break
    }
  }

  /// LE Enhanced Connection Complete [v2] (Core 6.0 Vol 4 Part E 7.7.65.10) as its older form: it has an advertising handle and a
  /// sync handle at its end.
  private static func plain(_ packet: [UInt8]) -> [UInt8] {
    guard packet.count == 37, packet[1] == HCIEventCode.leMeta, packet[2] == 34, packet[3] == 0x29 else {
      return packet
    }
    var plain = Array(packet.dropLast(3))
    plain[2] = 31
    plain[3] = LEMetaEvent.Code.enhancedConnectionComplete
    return plain
  }

  private mutating func receive(_ report: LEAdvertisingReport) {
    guard let address = report.address, report.form != .directed else { return }
    let isScanResponse = report.eventType.contains(.scanResponse)
    let key = PartialKey(address: address, set: report.setIdentifier, isScanResponse: isScanResponse)
    let data = (partial.removeValue(forKey: key) ?? []) + report.data
    guard data.count <= RecorderBudget.longestAdvertisement else { return }
    if report.dataStatus == .incomplete {
      if partial.count < Self.partialCapacity { partial[key] = data }
      return
    }
    let time = time
    withDevice(.peer(address)) { device, budget in
      // A scan response does not tell; the advertisement that it completes does.
      let isConnectable =
        isScanResponse ? device.advertisements.last?.isConnectable ?? true : report.eventType.contains(.connectable)
      device.append(
        RecordedDevice.Advertisement(
          time: time, rssi: report.rssi == 127 ? nil : report.rssi, data: data, isScanResponse: isScanResponse,
          isConnectable: isConnectable), &budget)
    }
  }

  // MARK: Data

  private mutating func data(_ packet: CapturedPacket) {
    guard let acl = try? ACLPacket(decoding: packet.bytes) else { return }
    let key = LinkKey(controller: packet.controller, handle: acl.connectionHandle)
    let isNew = links[key] == nil
    if isNew, links.count >= RecorderBudget.links { return }
    var link =
      links.removeValue(forKey: key)
      ?? Link(device: .unknown(controller: packet.controller, acl.connectionHandle))
    defer { links[key] = link }
    let isSent = packet.direction == .toController
    let frame = isSent ? link.sent.receive(acl) : link.received.receive(acl)
    switch frame?.channel {
    case .attribute?:
      if let frame { exchange(frame.payload, isSent: isSent, &link) }
    case .signalling?:
      if let frame, Self.opensEnhancedBearer(frame.payload) {
        withDevice(link.device) { device, _ in device.losses.enhancedBearers += 1 }
      }
    default: break
    }
  }

  private mutating func exchange(_ payload: ByteReader, isSent: Bool, _ link: inout Link) {
    guard let opcode = payload.peek() else { return }
    let isForClient = ATTOpcode.isForClient(opcode)
    let isDevicePeer = link.isDevicePeer ?? (isSent != isForClient)
    link.isDevicePeer = isDevicePeer
    let isFromClient = isSent == isDevicePeer
    // Otherwise the central is the server: that is another database.
    guard isFromClient != isForClient else { return }
    let time = time
    withDevice(link.device) { device, budget in
      device.pduCount += 1
      if isFromClient {
        link.bearer.receiveFromClient(payload, at: time, &device, &budget)
      } else {
        link.bearer.receiveFromServer(payload, at: time, &device, &budget)
      }
    }
  }

  /// Whether a signal requests channels of the Enhanced ATT bearer (Core 6.0 Vol 3 Part A 4.25, Part G 5.3.2).
  private static func opensEnhancedBearer(_ payload: ByteReader) -> Bool {
    var reader = payload
    guard (try? reader.uint8("code")) == 0x17, (try? reader.skip(3, "identifier and length")) != nil else {
      return false
    }
    return (try? reader.uint16("SPSM")) == 0x0027
  }
}
