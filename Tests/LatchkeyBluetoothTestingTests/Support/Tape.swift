import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting

/// A cassette of a device with FFF0/FFF1 (0: read, notify), FFF0/FFF2 (1: write, notify) and FFE0/FFE1 (2: read).
struct Tape {
  /// A step, with the characteristic by its number.
  struct Entry {
    var time: Double
    let characteristic: Int
    let event: Cassette.Event
    var descriptor: Int?

    init(_ time: Double, _ characteristic: Int, _ event: Cassette.Event, descriptor: Int? = nil) {
      self.time = time
      self.characteristic = characteristic
      self.event = event
      self.descriptor = descriptor
    }

    static func read(_ characteristic: Int, _ value: [UInt8], at time: Double = 0) -> Entry {
      Entry(time, characteristic, .read(.bytes(Data(value))))
    }
    static func refused(_ characteristic: Int, _ code: CBATTError.Code, at time: Double = 0) -> Entry {
      Entry(time, characteristic, .readRefused(code))
    }
    static func write(
      _ characteristic: Int, _ value: [UInt8], _ code: CBATTError.Code = .success, at time: Double = 0
    ) -> Entry {
      Entry(time, characteristic, .write(.bytes(Data(value)), answer: code))
    }
    static func command(_ characteristic: Int, _ value: [UInt8], at time: Double = 0) -> Entry {
      Entry(time, characteristic, .writeWithoutResponse(.bytes(Data(value))))
    }
    static func subscribe(_ characteristic: Int, at time: Double = 0) -> Entry {
      Entry(time, characteristic, .subscription(.notifications, answer: .success))
    }
    static func unsubscribe(_ characteristic: Int, at time: Double = 0) -> Entry {
      Entry(time, characteristic, .subscription(.none, answer: .success))
    }
    static func sent(_ characteristic: Int, _ value: [UInt8], at time: Double) -> Entry {
      Entry(time, characteristic, .notification(.bytes(Data(value))))
    }
  }

  var cassette: Cassette

  init(_ entries: [Entry]) {
    cassette = Cassette(
      device: DeviceDefinition(
        name: "Lamp",
        services: [
          .init(
            "FFF0",
            characteristics: [
              .init("FFF1", [.read, .notify]), .init("FFF2", [.write, .writeWithoutResponse, .notify]),
            ]), .init("FFE0", characteristics: [.init("FFE1", .read)]),
        ]), mtu: 185,
      steps: entries.map { entry in
        Cassette.Step(
          time: .milliseconds(Int(entry.time * 1000)),
          attribute: .init(
            service: entry.characteristic / 2, characteristic: entry.characteristic % 2, descriptor: entry.descriptor),
          event: entry.event)
      })
  }

  func player(_ replay: Cassette.Replay) throws -> CassettePlayer { try CassettePlayer(cassette, replay) }
}

extension CassettePlayer {
  mutating func read(_ characteristic: Int, now: Duration = .zero) -> ServedAnswer.Outcome {
    answer(.read(characteristic), now: now).outcome
  }

  mutating func write(
    _ characteristic: Int, _ value: [UInt8], isWithoutAnswer: Bool = false, now: Duration = .zero
  ) -> ServedAnswer.Outcome {
    answer(.write(characteristic, Data(value), isWithoutAnswer: isWithoutAnswer), now: now).outcome
  }

  mutating func subscribe(_ characteristic: Int, _ isOn: Bool = true, now: Duration = .zero) -> ServedAnswer.Outcome {
    answer(.subscription(characteristic, isOn: isOn), now: now).outcome
  }

  /// What is sent until nothing waits, with the times since a beginning.
  mutating func transcript(from start: Duration = .zero) -> [String] {
    var lines: [String] = []
    while let deadline = nextDeadline {
      let seconds = (deadline - start) / .seconds(1)
      for value in takeDue(now: deadline) {
        let digits = value.value.map { String(format: "%02x", $0) }.joined()
        lines.append("\(seconds) s: \(value.characteristic) = \(digits)")
      }
    }
    return lines
  }
}
