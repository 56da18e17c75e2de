import LatchkeyBluetoothHost
import Testing

@testable import LatchkeyBluetoothEmulator

/// The table of listeners is updated incrementally: it must always equal the result of visiting every pair, without its cost.
@Suite("Listener table") struct ListenerTableTests {
  private static let count = 9

  /// All advertisers of all controllers.
  private func places(_ bench: RadioBench) -> [AdvertiserPlace] {
    bench.radio.controllers.indices.flatMap { slot in
      bench.radio.controllers[slot].state.advertisers.indices.map { AdvertiserPlace(slot: slot, index: $0) }
    }
  }

  /// The result of visiting every pair.
  private func found(_ bench: RadioBench) -> [[Int]] {
    places(bench).map { place in
      bench.radio.controllers.indices.filter { bench.radio.listens($0, to: place) }
    }
  }

  private func incremental(_ bench: RadioBench) -> [[Int]] { places(bench).map { bench.radio[$0].listeners } }

  /// The earliest deadline, computed for all controllers.
  private func deadline(_ bench: RadioBench) -> Duration? {
    bench.radio.controllers.indices.compactMap { bench.radio.earliestDeadline(of: $0) }.min()
  }

  @Test("is right after each of many random inputs", arguments: 0..<6 as Range<UInt64>) func random(seed: UInt64) throws
  {
    let bench = RadioBench(RadioConfiguration(seed: seed, loss: seed % 2 == 0 ? 0 : 0.2))
    var chance = SplitMix64(seed: seed)
    func below(_ bound: Int) -> Int { Int(chance.next() % UInt64(bound)) }
    var ids = (0..<Self.count).map { bench.addReady(UInt64(0x0200_0000_0001 + $0)) }
    func address(_ number: Int) -> BluetoothAddress {
      BluetoothAddress(UInt64(0x0200_0000_0001 + number), kind: .public)
    }
    for step in 0..<600 {
      let number = below(Self.count)
      let (id, other) = (ids[number], (number + 1 + below(Self.count - 1)) % Self.count)
      switch below(16) {
      case 0, 1:
        bench.send(
          HCILESetAdvertisingParameters(
            minimumInterval: 0xA0, maximumInterval: 0xA0,
            type: [.connectable, .scannable, .nonConnectable, .directedHighDutyCycle][below(4)],
            ownAddressKind: .public,
            peer: address(other), filterPolicy: UInt8(below(4))), id)
        bench.send(HCILESetAdvertisingEnable(isEnabled: true), id)
      case 2: bench.send(HCILESetAdvertisingEnable(isEnabled: below(3) > 0), id)
      case 3, 4:
        bench.send(HCILESetScanEnable(isEnabled: false), id)
        bench.send(
          HCILESetScanParameters(isActive: below(2) == 0, ownAddressKind: .public, filterPolicy: UInt8(below(2))), id)
        bench.send(HCILESetScanEnable(isEnabled: true, filtersDuplicates: below(3) > 0), id)
      case 5: bench.send(HCILESetScanEnable(isEnabled: false), id)
      case 6: bench.send(HCILECreateConnection(peer: address(other), ownAddressKind: .public), id)
      case 7: bench.send(HCILECreateConnectionCancel(), id)
      case 8: bench.send(HCILEAddDeviceToFilterAcceptList(address: address(other)), id)
      case 9: bench.send(HCILEClearFilterAcceptList(), id)
      case 10: bench.radio.setPowered(below(3) > 0, id, now: bench.now)
      case 11:
        bench.radio.setDistance([nil, 1, 10_000][below(3)], between: id, and: ids[other], now: bench.now)
      case 12: bench.radio.dropLinks(of: id, now: bench.now)
      case 13:
        bench.send(HCIReset(), id)
        bench.unmask(id)
      case 14 where below(4) == 0:
        bench.radio.removeController(id, now: bench.now)
        #expect(incremental(bench) == found(bench), "step \(step): removed")
        ids[number] = bench.addReady(UInt64(0x0200_0000_0001 + number))
      default: bench.advance(by: .milliseconds(below(2000)))
      }
      let (incremental, found) = (incremental(bench), found(bench))
      #expect(incremental == found, "step \(step)")
      #expect(bench.radio.nextDeadline == deadline(bench), "step \(step)")
      guard incremental == found else { return }
    }
  }

  @Test("is right with advertising sets", arguments: 0..<4 as Range<UInt64>) func sets(seed: UInt64) throws {
    let bench = RadioBench(RadioConfiguration(seed: seed, loss: seed % 2 == 0 ? 0 : 0.2))
    var chance = SplitMix64(seed: seed)
    func below(_ bound: Int) -> Int { Int(chance.next() % UInt64(bound)) }
    let ids = (0..<Self.count).map { bench.addExtended(UInt64(0x0200_0000_0001 + $0)) }
    for step in 0..<600 {
      let number = below(Self.count)
      let id = ids[number]
      let other = BluetoothAddress(UInt64(0x0200_0000_0001 + below(Self.count)), kind: .public)
      let handle = AdvertisingHandle(rawValue: UInt8(below(4)))
      switch below(12) {
      case 0, 1, 2:
        bench.send(
          HCILESetExtendedAdvertisingParameters(
            handle: handle,
            properties: [[], [.connectable], [.directed], [.legacy, .connectable, .scannable]][below(4)],
            minimumInterval: 0xA0, maximumInterval: 0xA0, ownAddressKind: .public, peer: other,
            filterPolicy: UInt8(below(4)), primaryPHY: [.le1M, .leCoded][below(2)], setIdentifier: UInt8(below(4))), id)
        bench.send(.enable(handle.rawValue, duration: UInt16(below(3) * 30), maximumEvents: UInt8(below(3) * 2)), id)
      case 3: bench.send(.disable(handle.rawValue), id)
      case 4: bench.send(HCILERemoveAdvertisingSet(handle: handle), id)
      case 5, 6:
        bench.send(HCILESetExtendedScanEnable(isEnabled: false), id)
        bench.scanExtended(
          id, isActive: below(2) == 0, phys: [.le1M, .leCoded, [.le1M, .leCoded]][below(3)],
          filter: [.off, .on][below(2)], duration: UInt16(below(3) * 40), period: UInt16(below(2)))
      case 7:
        bench.send(
          HCILEExtendedCreateConnection(
            ownAddressKind: .public, peer: other, phys: [.le1M, [.le1M, .leCoded]][below(2)]),
          id)
      case 8: bench.send(HCILECreateConnectionCancel(), id)
      case 9: bench.radio.setPowered(below(3) > 0, id, now: bench.now)
      case 10: bench.radio.dropLinks(of: id, now: bench.now)
      default: bench.advance(by: .milliseconds(below(1500)))
      }
      let (incremental, found) = (incremental(bench), found(bench))
      #expect(incremental == found, "step \(step)")
      #expect(bench.radio.nextDeadline == deadline(bench), "step \(step)")
      guard incremental == found else { return }
    }
  }

  @Test("looks at no more pairs for a command than there are controllers, twice") func cost() {
    for filtersDuplicates in [true, false] {
      let bench = RadioBench()
      let advertisers = (0..<60).map { bench.addReady(UInt64(0x0200_0000_0001 + $0)) }
      let listeners = (0..<60).map { bench.addReady(UInt64(0x0200_0000_1001 + $0)) }
      for id in advertisers {
        bench.send(
          HCILESetAdvertisingParameters(minimumInterval: 0xA0, maximumInterval: 0xA0, ownAddressKind: .public), id)
        bench.send(HCILESetAdvertisingEnable(isEnabled: true), id)
      }
      for id in listeners {
        bench.send(HCILESetScanParameters(isActive: false, ownAddressKind: .public), id)
        bench.send(HCILESetScanEnable(isEnabled: true, filtersDuplicates: filtersDuplicates), id)
      }
      for id in [advertisers[7], listeners[7]] {
        let before = bench.radio.listenerTable.looks
        bench.send(HCILEClearFilterAcceptList(), id)
        #expect(bench.radio.listenerTable.looks - before <= 2 * 120)
      }
      // In a second each advertises ten times: who wants nothing more is not looked at again.
      let before = bench.radio.listenerTable.looks
      bench.advance(by: .seconds(1))
      let looks = bench.radio.listenerTable.looks - before
      #expect(filtersDuplicates ? looks == 0 : looks <= 11 * 60 * 60, "\(looks)")
    }
  }

  @Test("an advertiser that the full filter of duplicates has forgotten is heard again") func forgotten() throws {
    let bench = RadioBench()
    let listener = bench.addReady(1)
    let ids = (0..<VirtualScanner.memory + 1).map { bench.addReady(UInt64(0x0200_0000_0001 + $0)) }
    bench.send(HCILESetScanParameters(isActive: false, ownAddressKind: .public), listener)
    bench.send(HCILESetScanEnable(isEnabled: true, filtersDuplicates: true), listener)
    for id in ids {
      bench.send(
        HCILESetAdvertisingParameters(minimumInterval: 0xA0, maximumInterval: 0xA0, ownAddressKind: .public), id)
      bench.send(HCILESetAdvertisingEnable(isEnabled: true), id)
    }
    #expect(try bench.dequeueEvents(listener).count { if case .le = $0 { true } else { false } } == ids.count)
    #expect(incremental(bench) == found(bench))
    #expect(bench.radio[AdvertiserPlace(slot: 1, index: 0)].listeners == [0])
    bench.advance(by: .milliseconds(150))
    #expect(try !bench.dequeueEvents(listener).isEmpty)
    #expect(incremental(bench) == found(bench))
  }
}
