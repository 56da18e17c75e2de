import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// The client half against the server half: what one says the other understands, at any ATT_MTU.
@Suite struct GATTPairTests {
  static let sizes = Array(stride(from: 23, through: 517, by: 13)) + [24, 185, 247, 251, 512, 515, 516, 517]
  static let wide = BluetoothUUID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

  private func value(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) } }

  private func definition(_ uuid: BluetoothUUID, _ included: [AttributeHandle] = []) -> GATTServiceDefinition {
    GATTServiceDefinition(
      uuid: uuid, includedServices: included,
      characteristics: [
        GATTCharacteristicDefinition(
          uuid: 0xFFF1, properties: [.read, .write, .notify], permissions: [.readable, .writeable],
          descriptors: [GATTDescriptorDefinition(uuid: 0x2901, value: value(40))]),
        GATTCharacteristicDefinition(
          uuid: Self.wide, properties: [.read, .indicate], permissions: .readable),
        GATTCharacteristicDefinition(
          uuid: 0xFFF2, properties: .read, permissions: .readable, staticValue: value(100)),
      ])
  }

  @Test("All attributes are discovered", arguments: sizes) func everythingIsDiscovered(mtu: Int) throws {
    var pair = GATTPair(central: 517, peripheral: mtu)
    var placements: [GATTServicePlacement] = []
    for uuid: BluetoothUUID in [0x180F, Self.wide, 0x180A, 0xFFF0, Self.wide] {
      placements.append(
        try pair.ends[1].database.add(
          definition(uuid, placements.last.map { [$0.range.start] } ?? []), owner: ClientID(1)))
    }
    guard case .services(let services) = pair.run(.discoverServices(nil)) else {
      Issue.record("no services")
      return
    }
    #expect(pair.ends[0].client.mtu == mtu && pair.ends[1].server.mtu == mtu && pair.ends[1].client.mtu == mtu)
    #expect(services.map(\.range) == pair.ends[1].database.services.map(\.range))
    #expect(services.map(\.uuid) == [0x1800, 0x1801, 0x180F, Self.wide, 0x180A, 0xFFF0, Self.wide])
    guard case .services(let wide) = pair.run(.discoverServices([Self.wide, 0x180F])) else {
      Issue.record("no services by UUID")
      return
    }
    #expect(wide.map(\.range) == [placements[0], placements[1], placements[4]].map(\.range))

    for (index, placement) in placements.enumerated() {
      guard case .characteristics(let characteristics) = pair.run(.discoverCharacteristics(placement.range)),
        case .includedServices(let included) = pair.run(.discoverIncludedServices(placement.range))
      else {
        Issue.record("no characteristics")
        return
      }
      #expect(included.map(\.range) == (index > 0 ? [placements[index - 1].range] : []))
      #expect(included.first?.uuid == (index > 0 ? services[index + 1].uuid : nil))
      #expect(characteristics.map(\.valueHandle) == placement.valueHandles)
      #expect(characteristics.map(\.uuid) == [0xFFF1, Self.wide, 0xFFF2])
      #expect(characteristics.map(\.properties) == [[.read, .write, .notify], [.read, .indicate], .read])
      let ends = characteristics.map(\.end)
      #expect(ends == [placement.valueHandles[1] - 2, placement.valueHandles[2] - 2, placement.range.end])
      let first = characteristics[0]
      guard
        case .descriptors(let descriptors) = pair.run(
          .discoverDescriptors(AttributeHandleRange(first.valueHandle + 1, first.end)))
      else {
        Issue.record("no descriptors")
        return
      }
      #expect(descriptors.map(\.uuid) == [0x2902, 0x2901])
    }
    #expect(pair.ends.allSatisfy { $0.longestPDU <= mtu })
  }

  @Test("Values of every length arrive whole", arguments: sizes) func valuesOfEveryLengthArrive(mtu: Int) throws {
    var pair = GATTPair(central: mtu, peripheral: 517)
    let placement = try pair.ends[1].database.add(definition(0x180F), owner: ClientID(1))
    let handle = placement.valueHandles[0]
    for count in [0, 1, mtu - 5, mtu - 4, mtu - 3, mtu - 2, mtu - 1, mtu, 2 * (mtu - 1), 2 * (mtu - 5), 511, 512]
    where count <= 512 {
      guard case .written = pair.run(.write(handle, value(count))) else {
        Issue.record("\(count) bytes were not written")
        return
      }
      #expect(pair.ends[1].values[handle] == value(count))
      guard case .value(let read) = pair.run(.read(handle)) else {
        Issue.record("\(count) bytes were not read")
        return
      }
      #expect(read == value(count))
    }
    guard case .value(let fixed) = pair.run(.read(placement.valueHandles[2])) else {
      Issue.record("the fixed value was not read")
      return
    }
    #expect(fixed == value(100))
    #expect(pair.ends.allSatisfy { $0.longestPDU <= max(mtu, 23) })
  }

  @Test("Unsolicited values arrive", arguments: [23, 100, 517]) func valuesComeByThemselves(mtu: Int) throws {
    var pair = GATTPair(central: mtu, peripheral: mtu)
    let placement = try pair.ends[1].database.add(definition(0x180F), owner: ClientID(1))
    guard case .characteristics(let found) = pair.run(.discoverCharacteristics(placement.range)) else {
      Issue.record("no characteristics")
      return
    }
    for characteristic in found.prefix(2) {
      guard case .written = pair.run(.configureNotifications(characteristic, enabled: true)) else {
        Issue.record("not subscribed")
        return
      }
    }
    #expect(pair.ends[1].subscriptions[placement.valueHandles[0]] == .notifications)
    #expect(pair.ends[1].subscriptions[placement.valueHandles[1]] == .indications)
    for count in [0, 20, mtu - 3, 600] {
      pair.update(value(count), of: placement.valueHandles[0], at: 1)
      pair.update(value(count), of: placement.valueHandles[1], at: 1)
    }
    pair.settle()
    let cut = [0, 20, mtu - 3, 600].map { Array(value($0).prefix(min(mtu - 3, 512))) }
    for handle in placement.valueHandles.prefix(2) {
      #expect(pair.ends[0].notifications.filter { $0.handle == handle }.map(\.value) == cut)
    }
    _ = pair.run(.configureNotifications(found[0], enabled: false))
    #expect(pair.ends[1].subscriptions[placement.valueHandles[0]] == Subscription.none)
  }

  @Test("Both ends read from each other at the same time") func bothEndsAtOnce() throws {
    var pair = GATTPair(central: 247, peripheral: 185)
    let placements = [
      try pair.ends[0].database.add(definition(0x180F), owner: ClientID(1)),
      try pair.ends[1].database.add(definition(0x180A), owner: ClientID(1)),
    ]
    var expected: [[RequestID]] = [[], []]
    for end in 0...1 {
      let handle = placements[1 - end].valueHandles[0]
      for procedure: GATTProcedure in [
        .discoverServices(nil), .discoverCharacteristics(placements[1 - end].range), .write(handle, value(300)),
        .read(handle), .readByUUID(0x2A00, .all),
      ] { expected[end].append(pair.submit(procedure, at: end)) }
    }
    pair.settle()
    for end in 0...1 {
      #expect(pair.ends[end].completions.map(\.id) == expected[end])
      #expect(pair.ends[end].values[placements[end].valueHandles[0]] == value(300))
      guard case .value(value(300)) = pair.ends[end].completions[3].outcome,
        case .values(let names) = pair.ends[end].completions[4].outcome
      else {
        Issue.record("end \(end) did not read")
        return
      }
      #expect(names.map(\.value) == [Array((end == 0 ? "Peripheral" : "Central").utf8)])
      #expect(pair.ends[end].client.mtu == 185 && pair.ends[end].server.mtu == 185)
    }
  }

  @Test("A busy application delays only its own peer") func aBusyApplicationHoldsUpItsPeerAlone() throws {
    var pair = GATTPair(central: 23, peripheral: 23)
    let placement = try pair.ends[1].database.add(definition(0x180F), owner: ClientID(1))
    pair.ends[1].isBusy = true
    let read = pair.submit(.read(placement.valueHandles[0]), at: 0)
    pair.settle()
    #expect(pair.ends[0].completions.isEmpty && pair.ends[1].asked.count == 1)
    guard case .services = pair.run(.discoverServices(nil), at: 1) else {
      Issue.record("the other direction stands still")
      return
    }
    pair.ends[1].answer(pair.ends[1].asked[0])
    pair.settle()
    #expect(pair.ends[0].completions.map(\.id) == [read])
  }
}
