import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// Cassettes and requests of random bytes, as a fuzzer would make them. There is no fuzz target: the player needs Core Bluetooth, and
/// that the modules of NIO, which `Fuzzing/build` does not link.
struct CassetteBytesTests {
  @Test("Whatever is on a tape and asked, answers are within bounds and values in order", arguments: 0..<8)
  func anything(seed: UInt64) throws {
    for number in 0..<50 as Range<UInt64> {
      var bytes = RandomBytes(state: seed * 50 + number)
      let cassette = try Self.cassette(&bytes)
      for replay in Cassette.Replay.allCases {
        var player = try CassettePlayer(cassette, replay)
        var now = Duration.zero
        for _ in 0..<100 {
          now += .milliseconds(Int(bytes.next()) * 16)
          let answer = player.answer(Self.request(&bytes), now: now)
          try Self.check(answer, replay)
          for value in answer.before + player.takeDue(now: now) {
            try #require(value.value.count <= 512 && (0..<4).contains(value.characteristic))
          }
          if let deadline = player.nextDeadline { try #require(deadline > now) }
        }
        try #require(player.differenceCount <= 100 && (replay == .strict || player.differenceCount == 0))
      }
      try Self.checkFaithful(cassette)
    }
  }

  private static func check(_ answer: ServedAnswer, _ replay: Cassette.Replay) throws {
    if case .value(let value) = answer.outcome { try #require(value.count <= 512) }
    try #require(answer.outcome != .refusal(.success))
    if replay == .loose { try #require(answer.difference == nil && answer.before.isEmpty) }
  }

  /// An app that does what a strict player expects differs in nothing.
  private static func checkFaithful(_ cassette: Cassette) throws {
    var player = try CassettePlayer(cassette, .strict)
    for step in player.unplayed.map({ cassette.steps[$0.step] }) {
      let index = step.attribute.service * 2 + step.attribute.characteristic
      let request: ServedRequest =
        switch step.event {
        case .read, .readRefused: .read(index)
        case .write(let value, _): .write(index, bytes(of: value), isWithoutAnswer: false)
        case .writeWithoutResponse(let value): .write(index, bytes(of: value), isWithoutAnswer: true)
        case .subscription(let subscription, _): .subscription(index, isOn: subscription != .none)
        case .notification, .indication: .subscription(-1, isOn: true)
        }
      try #require(player.answer(request, now: step.time).difference == nil)
    }
    try #require(player.unplayed.isEmpty)
  }

  private static func bytes(of value: Cassette.Value) -> Data {
    switch value {
    case .bytes(let bytes): bytes
    case .masked(let count): Data(repeating: 0xFF, count: count)
    }
  }

  private static func request(_ bytes: inout RandomBytes) -> ServedRequest {
    let index = Int(bytes.next() % 4)
    switch bytes.next() % 5 {
    case 0: return .read(index)
    case 1: return .write(index, bytes.data(), isWithoutAnswer: false)
    case 2: return .write(index, bytes.data(), isWithoutAnswer: true)
    case 3: return .subscription(index, isOn: true)
    default: return .subscription(index, isOn: false)
    }
  }

  /// A cassette of two services with two characteristics each.
  private static func cassette(_ bytes: inout RandomBytes) throws -> Cassette {
    let services = ["FFF0", "FFE0"].map { service in
      DeviceDefinition.Service(
        service,
        characteristics: ["FFF1", "FFF2"].map { uuid in
          .init(
            uuid, [.read, .write, .writeWithoutResponse, .notify],
            permissions: CBAttributePermissions(rawValue: UInt(bytes.next() % 16)))
        })
    }
    var cassette = Cassette(device: DeviceDefinition(name: "A", services: services))
    var time = Duration.zero
    for _ in 0..<bytes.next() % 64 {
      time += .milliseconds(Int(bytes.next()))
      let value = Cassette.Value.bytes(bytes.data())
      let code = CBATTError.Code(rawValue: Int(bytes.next() % 0x12)) ?? .success
      let event: Cassette.Event =
        switch bytes.next() % 16 {
        case 0, 1: .read(value)
        case 2: .readRefused(code == .success ? .unlikelyError : code)
        case 3, 4: .write(value, answer: code)
        case 5: .writeWithoutResponse(value)
        case 6: .subscription(.notifications, answer: code)
        case 7: .subscription(.none, answer: .success)
        case 8: .subscription(.indications, answer: .success)
        case 9: .indication(value)
        case 10: .read(.masked(count: Int(bytes.next()) * 2))
        case 11: .write(.masked(count: 2), answer: code)
        default: .notification(value)
        }
      let place = Int(bytes.next() % 4)
      cassette.steps.append(
        .init(time: time, attribute: .init(service: place / 2, characteristic: place % 2), event: event))
    }
    try cassette.validate()
    return cassette
  }
}

/// Bytes of SplitMix64.
private struct RandomBytes {
  var state: UInt64

  mutating func next() -> UInt8 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return UInt8(truncatingIfNeeded: mixed ^ (mixed >> 31))
  }

  /// 0...3 bytes of few values, so that they meet.
  mutating func data() -> Data {
    let count = next() % 4
    return Data((0..<count).map { _ in next() % 2 })
  }
}
