import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth
@testable import LatchkeyProvisioning

/// What a device makes of the parts of a long write (test 28 of the protocols' reference).
@Suite struct WrittenValuesTests {
  private let air = TestAir()
  private let one = CBMutableCharacteristic(
    type: CBUUID(string: "FF51"), properties: .write, value: nil, permissions: .writeable)
  private let other = CBMutableCharacteristic(
    type: CBUUID(string: "FF52"), properties: .write, value: nil, permissions: .writeable)

  private func values(
    _ parts: [(characteristic: CBCharacteristic, offset: Int, bytes: [UInt8])]
  ) throws -> [[UInt8]] {
    let driver = HostDriver(
      configuration: HostConfiguration(ownAddress: .staticRandom(5)), transport: air.radio.makeTransport("parts"),
      scheduler: DispatchScheduler())
    let central = CBCentral(identifier: UUID(), driver: driver, link: LinkID(1))
    let requests = parts.map { part in
      CBATTRequest(
        central: central, characteristic: part.characteristic, offset: part.offset, value: Data(part.bytes), answer: nil
      )
    }
    return try WrittenValues(requests).values.map(\.bytes)
  }

  @Test("28: the parts of a long write are joined; a write to two characteristics is two values")
  func joined() throws {
    #expect(try values([(one, 0, [1, 2]), (one, 2, [3]), (one, 3, [])]) == [[1, 2, 3]])
    #expect(try values([(one, 0, [1]), (other, 0, [2]), (other, 1, [3])]) == [[1], [2, 3]])
    #expect(try values([]) == [])
  }

  @Test("28: a gap, an overlap, a missing beginning and parts in turns are refused") func refused() {
    let wrong: [[(characteristic: CBCharacteristic, offset: Int, bytes: [UInt8])]] = [
      [(one, 0, [1, 2]), (one, 3, [3])], [(one, 0, [1, 2]), (one, 1, [3])], [(one, 2, [3])],
      [(one, 0, [1]), (other, 1, [2])], [(one, 0, [1]), (other, 0, [2]), (one, 1, [3])],
    ]
    for parts in wrong {
      do {
        _ = try values(parts)
        Issue.record("\(parts.map(\.offset)) was taken")
      } catch let refusal as WrittenValues.Refusal {
        #expect(refusal.code == .invalidOffset)
      } catch {
        Issue.record("\(error)")
      }
    }
  }
}
