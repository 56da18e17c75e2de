import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// Cassettes that could not be replayed.
struct CassetteValidationTests {
  private static let refusals: [(change: @Sendable (inout Cassette) -> Void, message: String)] = [
    ({ $0.device.name = "" }, "device.name: has 1 to 248 bytes"),
    ({ $0.mtu = 22 }, "mtu: is not 23 to 517"),
    ({ $0.mtu = 518 }, "mtu: is not 23 to 517"),
    (
      { $0.advertisements = [.init(time: .zero, data: Data(count: 1651))] },
      "advertisements[0].data: has 1650 bytes at most"
    ),
    (
      { $0.advertisements = [.init(time: .seconds(-1), data: Data())] },
      "advertisements[0].time: is earlier than what stands before"
    ),
    (
      { $0.advertisements = .init(repeating: .init(time: .zero, data: Data()), count: 10_001) },
      "advertisements: has 10000 elements at most"
    ),
    ({ $0.steps = .init(repeating: $0.steps[0], count: 100_001) }, "steps: has 100000 elements at most"),
    ({ $0.steps[0].time = .seconds(1_000_001) }, "steps[0].time: is later than 1000000 seconds"),
    ({ $0.steps[0].time = .seconds(5) }, "steps[1].time: is earlier than what stands before"),
    ({ $0.steps[1].attribute.service = 2 }, "steps[1].at: the device has no such attribute"),
    ({ $0.steps[1].attribute.service = -1 }, "steps[1].at: the device has no such attribute"),
    ({ $0.steps[1].attribute.characteristic = 2 }, "steps[1].at: the device has no such attribute"),
    ({ $0.steps[1].attribute.descriptor = 0 }, "steps[1].at: the device has no such attribute"),
    ({ $0.steps[0].event = .read(.bytes(Data(count: 513))) }, "steps[0]: a value has 512 bytes at most"),
    ({ $0.steps[0].event = .read(.masked(count: 513)) }, "steps[0]: a value has 512 bytes at most"),
    ({ $0.steps[0].event = .read(.masked(count: -1)) }, "steps[0]: a value has 512 bytes at most"),
    ({ $0.steps[0].event = .readRefused(.success) }, "steps[0].readRefused: is no error"),
    (
      { $0.steps[0].event = .indication(.masked(count: 1)) },
      "steps[0]: the attribute has neither notify nor indicate"
    ),
    (
      { $0.steps[0].event = .subscription(.none, answer: .success) },
      "steps[0]: the attribute has neither notify nor indicate"
    ),
    (
      {
        $0.device.services[0].characteristics[0].descriptors = [.userDescription("x")]
        $0.steps[1] = .init(
          time: .zero, attribute: .init(service: 0, characteristic: 0, descriptor: 0),
          event: .notification(.masked(count: 1)))
      }, "steps[1]: the attribute has neither notify nor indicate"
    ),
  ]

  @Test("What cannot be replayed is refused with its place, and adds no device", arguments: refusals.indices)
  func refused(index: Int) throws {
    let (change, message) = Self.refusals[index]
    var cassette = Tape([.read(2, [1]), .sent(0, [1], at: 0)]).cassette
    try cassette.validate()
    change(&cassette)
    let radio = TestRadio()
    let error = #expect(throws: DefinitionError.self) { try radio.add(cassette) }
    #expect(error?.description == message)
    #expect(radio.presentDevices.isEmpty && radio.air.controllerNames.isEmpty)
  }
}
