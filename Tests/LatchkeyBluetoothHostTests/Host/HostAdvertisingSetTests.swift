import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Core 6.0 Vol 4 Part E 7.8.52 to 7.8.56, in the bytes that a controller gets.
@Suite("A host on a controller with advertising sets") struct HostAdvertisingSetTests {
  private func start(
    _ controller: CommandedController, _ client: ClientID, _ parameters: AdvertisingParameters
  ) -> [String] {
    controller.commanded { host, now in host.startAdvertising(client, parameters, now: now) }
  }

  private func statuses(_ controller: CommandedController) -> [HCIStatus] {
    controller.events.compactMap { if case .advertisingStarted(let status) = $0 { status } else { nil } }
  }

  private let lamp = AdvertisingParameters(localName: "Lamp", services: [0xFFF0])
  /// Flags, service FFF0, the name.
  private let lampData = "0201060303f0ff05094c616d70"

  @Test("sets one up by the extended commands alone, with legacy packets") func legacyPackets() {
    let controller = CommandedController()
    #expect(
      start(controller, controller.addClient(), lamp) == [
        "2036:00" + "1300" + "a00000" + "a00000" + "07" + "01" + "00000000000000" + "00" + "7f" + "01" + "00" + "01"
          + "00" + "00",
        "2035:00" + "0100000000c0",
        "2037:00" + "03" + "01" + "0d" + lampData,
        "2038:00" + "03" + "01" + "00",
        "2039:01" + "01" + "00" + "0000" + "00",
      ])
    #expect(statuses(controller) == [.success])
    #expect(controller.nextDeadline == nil)
  }

  @Test(
    "sends extended packets on the layers that a client asks for",
    arguments: [
      (LEPHY.le1M, LEPHY.le1M, "01", "01"), (.le1M, .le2M, "01", "02"), (.le1M, .leCoded, "01", "03"),
      (.leCoded, .leCoded, "03", "03"),
    ]) func extendedPackets(_ primary: LEPHY, _ secondary: LEPHY, _ first: String, _ second: String)
  {
    let controller = CommandedController(features: [.phy2M, .phyCoded])
    var parameters = lamp
    parameters.packets = .extended(primary: primary, secondary: secondary)
    #expect(
      start(controller, controller.addClient(), parameters) == [
        "2036:00" + "0100" + "a00000" + "a00000" + "07" + "01" + "00000000000000" + "00" + "7f" + first + "00" + second
          + "00" + "00",
        "2035:00" + "0100000000c0",
        "2037:00" + "03" + "01" + "0d" + lampData,
        "2039:01" + "01" + "00" + "0000" + "00",
      ])
    #expect(statuses(controller) == [.success])
  }

  @Test(
    "refuses a layer that the controller lacks, or that nothing advertises on, before any command",
    arguments: [(LEPHY.le1M, LEPHY.le2M), (.leCoded, .leCoded), (.le1M, .leCoded), (.le2M, .le2M)])
  func missingLayers(_ primary: LEPHY, _ secondary: LEPHY) {
    let controller = CommandedController(features: primary == .le2M ? .phy2M : [])
    var parameters = lamp
    parameters.packets = .extended(primary: primary, secondary: secondary)
    #expect(start(controller, controller.addClient(), parameters) == [])
    #expect(statuses(controller) == [.unsupportedFeatureOrParameter])
    #expect(controller.nextDeadline == nil)
  }

  @Test("gives each client a set of its own, and turns to those beyond their number") func manyClients() throws {
    let controller = CommandedController(sets: 2)
    let clients = (0..<3).map { _ in controller.addClient() }
    for (index, handle) in ["00", "01", "00"].enumerated() {
      let commands = start(controller, clients[index], AdvertisingParameters(localName: "\(index)"))
      #expect(commands.last == "2039:0101\(handle)000000")
      // A set advertises as its number, and the third client's takes the place of the first's.
      let parameters = try #require(commands.first { $0.hasPrefix("2036:") })
      #expect(parameters.hasPrefix("2036:" + handle) && parameters.hasSuffix(handle + "00"))
      #expect(commands.contains("2039:000100000000") == (index == 2))
    }
    #expect(statuses(controller) == [.success, .success, .success])
    // Turns are in set 0 alone.
    let deadline = try #require(controller.nextDeadline)
    let turn = controller.advance(by: deadline - controller.now)
    #expect(turn.first == "2039:000100000000" && turn.last == "2039:010100000000")
    #expect(turn.contains("2037:00030106" + "020106" + "020930"))
    // With one client left in each, there are none.
    controller.commanded { host, now in host.stopAdvertising(clients[2], now: now) }
    #expect(controller.nextDeadline == nil)
    #expect(controller.commanded { host, now in host.stopAdvertising(clients[1], now: now) } == ["2039:000101000000"])
    #expect(controller.commanded { host, now in host.stopAdvertising(clients[1], now: now) } == [])
  }

  @Test("uses as many sets as can be told apart, however many the controller has") func manySets() {
    let controller = CommandedController(sets: 240)
    for index in 0..<17 {
      let commands = start(controller, controller.addClient(), AdvertisingParameters(localName: "\(index)"))
      // The seventeenth takes its turn in the first set.
      let set = Hexadecimal.encode([UInt8(index % AdvertisingSets.limit)])
      #expect(commands.last == "2039:0101\(set)000000")
    }
    #expect(controller.nextDeadline != nil)
  }

  @Test("begins the set anew that a connection ended, and no other") func connected() {
    let controller = CommandedController()
    for name in ["One", "Two"] {
      _ = start(controller, controller.addClient(), AdvertisingParameters(localName: name))
    }
    let complete = LEConnectionComplete(
      connectionHandle: ConnectionHandle(rawValue: 1), role: .peripheral, peer: .staticRandom(9),
      resolvableAddresses: .init())
    #expect(controller.report(.connectionComplete(complete)).allSatisfy { !$0.hasPrefix("2039") })
    let ended = LEAdvertisingSetTerminated(
      handle: AdvertisingHandle(rawValue: 1), connectionHandle: ConnectionHandle(rawValue: 1))
    let commands = controller.report(.advertisingSetTerminated(ended))
    #expect(commands.first?.hasPrefix("2036:01") == true && commands.last == "2039:010101000000")
    // Nothing advertises in the others, or there are no others.
    for handle in [2, 3, 4, 0xEF] as [UInt8] {
      let strange = LEAdvertisingSetTerminated(
        handle: AdvertisingHandle(rawValue: handle), connectionHandle: ConnectionHandle(rawValue: 1))
      #expect(controller.report(.advertisingSetTerminated(strange)) == [])
    }
  }

  @Test("ends a set that is being set up before it begins anew: the end may be that of its earlier advertising")
  func endedMeanwhile() {
    let controller = CommandedController()
    let client = controller.addClient()
    _ = start(controller, client, lamp)
    controller.isAnswering = false
    #expect(start(controller, client, lamp) == ["2039:000100000000"])
    let ended = LEAdvertisingSetTerminated(
      handle: AdvertisingHandle(rawValue: 0), connectionHandle: ConnectionHandle(rawValue: 1))
    #expect(controller.report(.advertisingSetTerminated(ended)) == [])
    let commands = controller.answerNext().filter { $0.hasPrefix("2039") }
    #expect(commands == ["2039:010100000000", "2039:000100000000", "2039:010100000000"])
    #expect(statuses(controller) == [.success, .success])
  }

  @Test("lets a client that starts again retain its set") func startedAgain() {
    let controller = CommandedController()
    let (one, two) = (controller.addClient(), controller.addClient())
    for (client, handle) in [(one, "00"), (two, "01"), (one, "00"), (two, "01")] {
      #expect(start(controller, client, lamp).last == "2039:0101\(handle)000000")
    }
    for (client, handle) in [(one, "00"), (two, "01")] {
      #expect(
        controller.commanded { host, now in host.stopAdvertising(client, now: now) } == ["2039:0001\(handle)000000"])
      controller.commanded { host, _ in
        let isAdvertising = host.isAdvertising(client)
        #expect(!isAdvertising)
      }
    }
  }

  @Test(
    "reports a failure to its client, and leaves the other sets alone",
    arguments: [
      HCIOpcode.leSetExtendedAdvertisingParameters, .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingData,
      .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable,
    ]) func refused(_ opcode: HCIOpcode)
  {
    let controller = CommandedController()
    let (one, two) = (controller.addClient(), controller.addClient())
    _ = start(controller, one, lamp)
    controller.refusals = [opcode: .memoryCapacityExceeded]
    let commands = start(controller, two, lamp)
    #expect(commands.allSatisfy { $0.hasPrefix("2039") ? $0.contains("0101000000") : $0.dropFirst(5).hasPrefix("01") })
    #expect(statuses(controller) == [.success, .memoryCapacityExceeded])
    controller.commanded { host, _ in
      #expect(host.isAdvertising(one) && !host.isAdvertising(two))
    }
    controller.refusals = [:]
    _ = start(controller, two, lamp)
    #expect(statuses(controller) == [.success, .memoryCapacityExceeded, .success])
  }

  @Test("scans and connects on all layers of the controller, in time that they share") func layers() {
    let all = CommandedController(features: [.phy2M, .phyCoded])
    let client = all.addClient()
    let scan = { (host: inout Host, now: Duration) in
      _ = host.startScan(client, services: nil, allowDuplicates: false, now: now)
    }
    #expect(
      all.commanded(scan) == ["2041:01" + "00" + "05" + "0180003000" + "0180003000", "2042:01" + "01" + "00000000"])
    #expect(all.commanded { host, now in host.stopScan(client, now: now) } == ["2042:00" + "00" + "00000000"])
    let initiation = "18000000c8000000" + "0000"
    #expect(
      all.commanded { host, now in host.connect(client, to: .staticRandom(5), now: now) } == [
        "2043:00" + "01" + "01" + "0500000000c0" + "07"
          + String(repeating: "c0006000" + "0c00" + initiation, count: 3)
      ])
    let plain = CommandedController()
    let other = plain.addClient()
    #expect(
      plain.commanded { host, now in host.startScan(other, services: nil, allowDuplicates: true, now: now) } == [
        "2041:01" + "00" + "01" + "0140003000", "2042:01" + "00" + "00000000",
      ])
    #expect(
      plain.commanded { host, now in host.connect(other, to: .staticRandom(5), now: now) } == [
        "2043:00" + "01" + "01" + "0500000000c0" + "01" + "60006000" + "0c00" + initiation
      ])
  }
}
