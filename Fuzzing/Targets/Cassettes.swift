// modules: LatchkeyByteCoding LatchkeyBluetoothHost LatchkeyBluetoothTransports LatchkeyBluetoothTesting
import Foundation
import LatchkeyBluetoothTesting

/// Reads the input as a cassette in JSON, and plays it to an app that reads, writes and subscribes to all.
///
/// Invariants: what was read is valid, and the same after it was written and read again; an error says where or what; values that
/// the player sends are no longer than values are, and come to an end.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCassettes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let json = Data(UnsafeBufferPointer(start: start, count: count))
  let cassette: Cassette
  do {
    cassette = try Cassette(json: json)
  } catch {
    guard !"\(error)".isEmpty, "\(error)".count < 4096 else { fatalError("an error of \("\(error)".count) characters") }
    return 0
  }
  let written = cassette.json()
  guard let again = try? Cassette(json: written), again == cassette, again.json() == written else {
    fatalError("written and read again, it differs")
  }
  play(cassette, .strict)
  play(cassette, .loose)
  return 0
}

private func play(_ cassette: Cassette, _ replay: Cassette.Replay) {
  guard var player = try? CassettePlayer(cassette, replay) else { fatalError("a valid cassette is refused") }
  let characteristics = cassette.device.services.reduce(0) { $0 + $1.characteristics.count }
  var now = Duration.zero
  var sent = 0
  for characteristic in 0..<min(characteristics, 64) {
    let requests: [ServedRequest] = [
      .subscription(characteristic, isOn: true), .read(characteristic),
      .write(characteristic, Data([1]), isWithoutAnswer: characteristic.isMultiple(of: 2)), .read(characteristic),
      .subscription(characteristic, isOn: false),
    ]
    for request in requests {
      let answer = player.answer(request, now: now)
      if case .value(let value) = answer.outcome, value.count > 512 { fatalError("a value of \(value.count) bytes") }
      now += .milliseconds(10)
      for value in player.takeDue(now: now) where value.value.count > 512 { fatalError("a value is too long") }
    }
  }
  while let deadline = player.nextDeadline {
    now = max(now, deadline)
    let due = player.takeDue(now: now)
    guard !due.isEmpty else { fatalError("nothing is due at the deadline") }
    sent += due.count
    guard sent <= 64 * (1 + cassette.steps.count) else { fatalError("the values have no end") }
  }
}
