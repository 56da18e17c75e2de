import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

/// Fields of extended advertising (Core 6.0 Vol 4 Part E 7.8.53 to 7.8.56).
@Suite struct AdvertisingSetFieldsTests {
  /// Bits: 0 connectable, 1 scannable, 2 directed, 3 high duty cycle, 4 legacy, 5 anonymous, 6 power (7.8.53).
  private static let allowed: Set<UInt16> = [
    // Legacy: ADV_IND, ADV_DIRECT_IND with a low and a high duty cycle, ADV_SCAN_IND, ADV_NONCONN_IND.
    0x13, 0x15, 0x1D, 0x12, 0x10,
    // Neither connectable nor scannable, undirected and directed; without and with power; then without address.
    0x00, 0x04, 0x40, 0x44, 0x20, 0x24, 0x60, 0x64,
    // Connectable, which a high duty cycle is not for.
    0x01, 0x05, 0x41, 0x45,
    // Scannable.
    0x02, 0x06, 0x42, 0x46,
  ]

  @Test("Exactly the specification's combinations of properties are allowed") func properties() {
    for bits: UInt16 in 0..<0x80 {
      #expect(AdvertisingEventProperties(rawValue: bits).isAllowed == Self.allowed.contains(bits), "\(bits)")
    }
  }

  @Test("Each property has its bit") func bitsOfProperties() {
    let inOrder: [AdvertisingEventProperties] = [
      .connectable, .scannable, .directed, .highDutyCycle, .legacy, .anonymous, .includesTxPower,
    ]
    for (bit, property) in inOrder.enumerated() { #expect(property.rawValue == 1 << bit) }
  }

  @Test("Layers have the specification's numbers and bits") func layers() {
    #expect(LEPHY.allCases.map(\.rawValue) == [1, 2, 3])
    #expect(LEPHY.allCases.map { LEPHYs($0).rawValue } == [0b001, 0b010, 0b100])
    #expect(LEPHYs(rawValue: 0).all.isEmpty)
    #expect(LEPHYs(rawValue: 0b101).all == [.le1M, .leCoded])
    #expect(LEPHYs(rawValue: 0b110).all == [.le2M, .leCoded])
    #expect(LEPHYs(rawValue: 0b1111_1000).all.isEmpty)
    #expect(LEPHYs(rawValue: 0xFF).all == [.le1M, .le2M, .leCoded])
  }

  @Test("An advertising handle of a program is at most 0xEF") func handles() {
    #expect(AdvertisingHandle(rawValue: 0x00).rawValue == 0x00)
    #expect(AdvertisingHandle(rawValue: 0xEF).rawValue == 0xEF)
    #expect(AdvertisingHandle(rawValue: 0xF0).rawValue == 0xEF)
    #expect(AdvertisingHandle(rawValue: 0xFF).rawValue == 0xEF)
  }

  @Test(
    "Data are handed over in parts of at most 251 bytes",
    arguments: [
      (0, [0]), (1, [1]), (250, [250]), (251, [251]), (252, [251, 1]), (502, [251, 251]), (503, [251, 251, 1]),
      (1649, [251, 251, 251, 251, 251, 251, 143]), (1650, [251, 251, 251, 251, 251, 251, 144]),
      // What no set can hold is cut off.
      (1651, [251, 251, 251, 251, 251, 251, 144]), (5000, [251, 251, 251, 251, 251, 251, 144]),
    ] as [(Int, [Int])])
  func fragments(count: Int, parts: [Int]) {
    let data = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    let handle = AdvertisingHandle(rawValue: 0x07)
    let fragments = AdvertisingDataFragment.fragments(of: data, handle: handle)
    #expect(fragments.map(\.data.count) == parts)
    #expect(fragments.flatMap(\.data) == Array(data.prefix(1650)))
    #expect(fragments.allSatisfy { $0.handle == handle && $0.avoidsFragmentation })
    var operations = Array(repeating: AdvertisingDataOperation.intermediate, count: parts.count)
    operations[0] = .first
    operations[parts.count - 1] = parts.count == 1 ? .complete : .last
    #expect(fragments.map(\.operation) == operations)
  }

  @Test("The parts of the data have the specification's operations") func operations() {
    let numbers: [(AdvertisingDataOperation, UInt8)] = [
      (.intermediate, 0), (.first, 1), (.last, 2), (.complete, 3), (.unchanged, 4),
    ]
    for (operation, number) in numbers { #expect(operation.rawValue == number) }
    for number: UInt8 in 5...255 { #expect(AdvertisingDataOperation(rawValue: number) == nil) }
  }
}
