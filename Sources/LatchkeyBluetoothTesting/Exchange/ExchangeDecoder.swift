import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import LatchkeyByteCoding

/// Decodes the packets of a radio's hosts to text: what each host sends, which is every PDU once, and what opens and ends
/// links.
struct ExchangeDecoder {
  private struct LinkKey: Hashable {
    let controller: String
    let handle: ConnectionHandle
  }

  private struct Link {
    var peer: String
    var sent = ACLReassembler()
    var received = ACLReassembler()
  }

  /// Whether what a host receives is text, too: it is not where all hosts are recorded, since each PDU is sent once.
  private let decodesReceived: Bool

  private var links: [LinkKey: Link] = [:]
  /// The controllers by the addresses that their hosts have set.
  private var names: [UInt64: String] = [:]
  private var attributes = AttributeTexts()

  init(decodesReceived: Bool = false) { self.decodesReceived = decodesReceived }

  /// The lines of one packet: none for what says nothing about the devices.
  mutating func lines(of record: ExchangeLog.Record) -> [String] {
    entries(of: record).map { parties, text in "\(Self.time(record.time))  \(parties)  \(text)" }
  }

  /// Who does what in one packet.
  mutating func entries(of record: ExchangeLog.Record) -> [(parties: String, text: String)] {
    switch (record.direction, HCIPacketType(of: record.packet)) {
    case (.toController, .command?): command(record.packet, record.controller)
    case (.toController, .acl?): data(record.packet, record.controller, isSent: true)
    case (.fromController, .acl?) where decodesReceived: data(record.packet, record.controller, isSent: false)
    case (.fromController, .event?): event(record.packet, record.controller)
    default: []
    }
  }

  /// Whether a packet tells whose addresses or links later packets name.
  static func introduces(_ packet: [UInt8]) -> Bool {
    switch (packet.first, packet.dropFirst().first) {
    case (HCIPacketType.command.rawValue, 0x05), (HCIPacketType.command.rawValue, 0x35):
      // LE Set Random Address, LE Set Advertising Set Random Address.
      packet.dropFirst(2).first == 0x20
    case (HCIPacketType.event.rawValue, HCIEventCode.leMeta):
      [LEMetaEvent.Code.connectionComplete, LEMetaEvent.Code.enhancedConnectionComplete].contains(
        packet.dropFirst(3).first)
    default: false
    }
  }

  /// Seconds with six decimals.
  static func time(_ time: Duration) -> String {
    let microseconds = time.components.seconds * 1_000_000 + time.components.attoseconds / 1_000_000_000_000
    let fraction = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - fraction.count))\(fraction) s"
  }

  // MARK: Commands and events

  private mutating func command(_ packet: [UInt8], _ controller: String) -> [(parties: String, text: String)] {
    var reader = ByteReader(packet, from: 1)
    guard let opcode = try? HCIOpcode(from: &reader), (try? reader.uint8("length")) != nil else { return [] }
    switch opcode {
    case .leSetRandomAddress:
      if let address = try? BluetoothAddress(from: &reader, kind: .random) { names[address.value] = controller }
    case .leSetAdvertisingSetRandomAddress:
      if (try? reader.uint8("handle")) != nil, let address = try? BluetoothAddress(from: &reader, kind: .random) {
        names[address.value] = controller
      }
    case .leSetScanEnable, .leSetExtendedScanEnable:
      return [(controller, reader.peek() == 0 ? "stops scanning" : "scans")]
    case .leSetAdvertisingEnable, .leSetExtendedAdvertisingEnable:
      return [(controller, reader.peek() == 0 ? "stops advertising" : "advertises")]
    case .leCreateConnection, .leExtendedCreateConnection: return [(controller, "connects")]
    case .leCreateConnectionCancel: return [(controller, "cancels connecting")]
    case .disconnect:
      guard let handle = try? ConnectionHandle(from: &reader), let reason = try? reader.uint8("reason") else {
        return []
      }
      return [(parties(controller, handle), "disconnects, \(Self.reason(reason))")]
    case .leEnableEncryption: return [(controller, "encrypts the link")]
    default: break
    }
    return []
  }

  private mutating func event(_ packet: [UInt8], _ controller: String) -> [(parties: String, text: String)] {
    guard let event = try? HCIEvent(decoding: packet) else { return [] }
    switch event {
    case .le(.connectionComplete(let complete)):
      guard complete.status == .success else {
        return [(controller, "is not connected, \(Self.reason(complete.status.rawValue))")]
      }
      let peer = names[complete.peer.value] ?? "\(complete.peer)"
      links[LinkKey(controller: controller, handle: complete.connectionHandle)] = Link(peer: peer)
      return complete.role == .central ? [("\(controller) ↔ \(peer)", "connected")] : []
    case .disconnectionComplete(let complete):
      guard complete.status == .success else { return [] }
      let parties = parties(controller, complete.connectionHandle)
      links[LinkKey(controller: controller, handle: complete.connectionHandle)] = nil
      return [(parties, "link ended, \(Self.reason(complete.reason.rawValue))")]
    case .encryptionChange(let change):
      guard change.status == .success else {
        return [(controller, "link not encrypted, \(Self.reason(change.status.rawValue))")]
      }
      return [(parties(controller, change.connectionHandle), change.isEncrypted ? "encrypted" : "not encrypted")]
    case .hardwareError(let code): return [(controller, "hardware error \(Self.hexadecimal(code))")]
    default: return []
    }
  }

  private func parties(_ controller: String, _ handle: ConnectionHandle) -> String {
    "\(controller) → \(links[LinkKey(controller: controller, handle: handle)]?.peer ?? "?")"
  }

  /// The text of a controller's error code (Core 6.0 Vol 1 Part F 1.3).
  private static func reason(_ code: UInt8) -> String {
    let text: String? =
      switch HCIStatus(rawValue: code) {
      case .authenticationFailure: "authentication failure"
      case .pinOrKeyMissing: "key missing"
      case .connectionTimeout: "connection timeout"
      case .remoteUserTerminated: "remote user terminated connection"
      case .localHostTerminated: "terminated by local host"
      case .connectionFailedToBeEstablished: "connection failed to be established"
      case .messageIntegrityCheckFailure: "message integrity check failure"
      case .unknownConnectionIdentifier: "unknown connection"
      default: nil
      }
    return text ?? "status \(hexadecimal(code))"
  }

  static func hexadecimal(_ byte: UInt8) -> String { "0x" + Hexadecimal.encode([byte]).uppercased() }

  // MARK: Data

  private mutating func data(_ packet: [UInt8], _ controller: String, isSent: Bool) -> [(parties: String, text: String)]
  {
    guard let acl = try? ACLPacket(decoding: packet) else { return [] }
    let key = LinkKey(controller: controller, handle: acl.connectionHandle)
    var link = links[key] ?? Link(peer: "?")
    let frame = isSent ? link.sent.receive(acl) : link.received.receive(acl)
    links[key] = link
    guard let frame else { return [] }
    let (sender, receiver) = isSent ? (controller, link.peer) : (link.peer, controller)
    let text =
      switch frame.channel {
      case .attribute: attributes.text(of: frame.payload, from: sender, to: receiver)
      case .securityManager: Self.pairing(frame.payload)
      case .signalling: Self.signal(frame.payload)
      default: "L2CAP channel \(frame.channel.rawValue), \(frame.payload.remaining) bytes"
      }
    return [("\(sender) → \(receiver)", text)]
  }

  /// A PDU of the Security Manager protocol. What it carries are keys and what leads to them: they are not printed.
  private static func pairing(_ payload: ByteReader) -> String {
    var reader = payload
    guard let code = try? reader.uint8("code") else { return "SMP empty" }
    guard let known = SMPCode(rawValue: code) else { return "SMP \(hexadecimal(code))" }
    guard known == .pairingFailed, let reason = try? reader.uint8("reason") else { return "SMP \(words("\(known)"))" }
    return "SMP Pairing Failed \(hexadecimal(reason))"
  }

  private static func signal(_ payload: ByteReader) -> String {
    switch payload.peek() {
    case L2CAPSignal.Code.commandReject?: "L2CAP Command Reject"
    case L2CAPSignal.Code.disconnectionRequest?: "L2CAP Disconnection Request"
    case L2CAPSignal.Code.disconnectionResponse?: "L2CAP Disconnection Response"
    case L2CAPSignal.Code.connectionParameterUpdateRequest?: "L2CAP Connection Parameter Update Request"
    case L2CAPSignal.Code.connectionParameterUpdateResponse?: "L2CAP Connection Parameter Update Response"
    case L2CAPSignal.Code.leCreditBasedConnectionRequest?: "L2CAP LE Credit Based Connection Request"
    case L2CAPSignal.Code.leCreditBasedConnectionResponse?: "L2CAP LE Credit Based Connection Response"
    case L2CAPSignal.Code.flowControlCredit?: "L2CAP Flow Control Credit"
    case let code?: "L2CAP signal \(hexadecimal(code))"
    case nil: "L2CAP signal empty"
    }
  }

  /// `exchangeMTURequest` as `Exchange MTU Request`.
  static func words(_ name: String) -> String {
    let characters = Array(name)
    var text = ""
    for (index, character) in characters.enumerated() {
      let endsWord = index > 0 && !characters[index - 1].isUppercase
      let beginsWord = index + 1 < characters.count && characters[index + 1].isLowercase
      if index > 0, character.isUppercase, endsWord || beginsWord { text.append(" ") }
      text.append(index == 0 ? Character(character.uppercased()) : character)
    }
    return text
  }
}
