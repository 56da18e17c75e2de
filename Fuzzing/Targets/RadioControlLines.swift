// modules: LatchkeyByteCoding LatchkeyBluetoothHost LatchkeyBluetoothTransports
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothTransports

/// Plays the input to `latchkey radio --control`: the first byte says how long the parts are in which it arrives.
///
/// Invariants: lines do not depend on the parts; each has one answer, which ends with ok or is an error, and no line of it has a
/// second one in it; the controllers stay on the air, and time goes on.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRadioControlLines(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  guard let first = bytes.first else { return 0 }
  let text = Array(bytes.dropFirst())
  var whole = LineAssembler()
  let lines = whole.receive(text)
  var parts = LineAssembler()
  var again: [LineAssembler.Line] = []
  let length = 1 + Int(first)
  for begin in stride(from: 0, to: text.count, by: length) {
    again += parts.receive(text[begin..<min(begin + length, text.count)])
  }
  guard again == lines else { fatalError("lines in parts differ") }
  guard !parts.isTooLong || again.last == .tooLong else { fatalError("a line that is too long is no error") }
  perform(lines)
  return 0
}

private func perform(_ lines: [LineAssembler.Line]) {
  let clock = VirtualClock()
  let radio = VirtualRadio(scheduler: clock)
  let names = ["a", "b", "client-1"]
  for name in names { radio.addController(name, ControllerConfiguration(features: .all)) }
  let control = RadioControl(radio)
  for case .text(let line) in lines.prefix(256) {
    let answer = control.perform(line)
    guard let last = answer.last, last == "ok" || (last.utf8.starts(with: "error: ".utf8) && answer.count == 1) else {
      fatalError("no answer: \(answer)")
    }
    guard answer.allSatisfy({ !$0.utf8.contains(UInt8(ascii: "\n")) }) else { fatalError("a line has two: \(answer)") }
    clock.advance(by: .milliseconds(1))
  }
  guard radio.controllerNames.sorted() == names else { fatalError("the controllers are \(radio.controllerNames)") }
}
