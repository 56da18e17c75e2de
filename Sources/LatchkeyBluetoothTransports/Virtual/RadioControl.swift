import LatchkeyBluetoothEmulator
import LatchkeyBluetoothHost

/// Changes a radio while it runs, by lines of text: what `latchkey radio --control` understands.
///
/// Each line has one answer: lines of text, the last of which is `ok`, or `error: ` with what is wrong and what to type.
package struct RadioControl: Sendable {
  /// The grammar.
  package static let grammar = """
    list                          the controllers on the air, by name
    distance A B METERS|none      how far two controllers are from each other; none: next to each other
    rssi A B DBM|none             the signal strength between them; none: that of their distance
    loss A B PROBABILITY|none     how probably a transmission between them is lost, 0 to 1; none: as on the rest of the air
    power A on|off                switch a controller on or off
    drop A                        end all links of a controller
    reset A                       have a controller report a hardware error, after which its host begins anew
    fault A none                  no faults
    fault A lose-link N           lose the link at the N-th packet from now
    fault A refuse OPCODE STATUS  answer a command with a status, both in hexadecimal digits: 200d 0c
    fault A silence OPCODE        do not answer a command
    fault A credits prompt|withheld|late MILLISECONDS|lost N
                                  how buffers are given back: all, none, late, or all but every N-th
    fault A buffers LENGTH COUNT  buffers for so many packets of so many bytes, from the next reset on
    fault A no-scan-while-connecting
                                  refuse to scan and to initiate at the same time
    help                          print this
    """

  private let radio: VirtualRadio

  /// What is wrong with a line.
  private struct Problem: Error {
    let text: String
    init(_ text: String) { self.text = text }
  }

  package init(_ radio: VirtualRadio) { self.radio = radio }

  /// Does what a line says. Returns the answer.
  package func perform(_ line: String) -> [String] {
    do throws(Problem) {
      return try answer(line.split { $0 == " " || $0 == "\t" }.map(String.init)) + ["ok"]
    } catch {
      return ["error: \(error.text)"]
    }
  }

  private func answer(_ words: [String]) throws(Problem) -> [String] {
    let arguments = Array(words.dropFirst())
    switch words.first {
    case nil: return []
    case "help": return Self.grammar.split(separator: "\n").map(String.init)
    case "list":
      try expect(arguments, 0, "list")
      return radio.controllerNames
    case "distance":
      let (a, b, value) = try pair(arguments, "distance A B METERS|none")
      radio.setDistance(try number(value, 0...1_000_000, "a distance in meters, 0 or more"), between: a, and: b)
    case "rssi":
      let (a, b, value) = try pair(arguments, "rssi A B DBM|none")
      let rssi = try number(value, -127...20, "a signal strength in dBm, -127 to 20")
      radio.setRSSI(rssi.map { Int8($0.rounded()) }, between: a, and: b)
    case "loss":
      let (a, b, value) = try pair(arguments, "loss A B PROBABILITY|none")
      radio.setLoss(try number(value, 0...1, "a probability, 0 to 1"), between: a, and: b)
    case "power":
      try expect(arguments, 2, "power A on|off")
      guard ["on", "off"].contains(arguments[1]) else { throw Problem("type power A on, or power A off") }
      radio.setPowered(arguments[1] == "on", try controller(arguments[0]))
    case "drop":
      try expect(arguments, 1, "drop A")
      radio.dropLinks(of: try controller(arguments[0]))
    case "reset":
      try expect(arguments, 1, "reset A")
      radio.raiseHardwareError(on: try controller(arguments[0]))
    case "fault": try setFault(arguments)
    case let word?: throw Problem("\(word) is not understood; type help")
    }
    return []
  }

  // MARK: Faults

  private func setFault(_ words: [String]) throws(Problem) {
    guard words.count >= 2 else { throw Problem("type fault A KIND; help lists the kinds") }
    let name = try controller(words[0])
    let arguments = Array(words.dropFirst(2))
    var faults = radio.faults(of: name)
    switch words[1] {
    case "none":
      try expect(arguments, 0, "fault A none")
      faults = ControllerFaults()
    case "lose-link":
      try expect(arguments, 1, "fault A lose-link N")
      faults.linkLoss = .init(afterPackets: try count(arguments[0], 1...1_000_000) - 1)
    case "refuse":
      try expect(arguments, 2, "fault A refuse OPCODE STATUS")
      let status = try hexadecimal(arguments[1], 0x01...0xFF, "a status")
      faults.refusedCommands[try opcode(arguments[0])] = HCIStatus(rawValue: UInt8(status))
    case "silence":
      try expect(arguments, 1, "fault A silence OPCODE")
      faults.silentCommands.insert(try opcode(arguments[0]))
    case "credits": faults.credits = try credits(arguments)
    case "buffers":
      try expect(arguments, 2, "fault A buffers LENGTH COUNT")
      faults.buffers = ACLBuffers(
        length: try count(arguments[0], 27...0xFFFF), count: try count(arguments[1], 1...0xFF))
    case "no-scan-while-connecting":
      try expect(arguments, 0, "fault A no-scan-while-connecting")
      faults.refusesScanningWhileInitiating = true
    default: throw Problem("there is no fault \(words[1]); type help")
    }
    radio.setFaults(faults, on: name)
  }

  private func credits(_ words: [String]) throws(Problem) -> ControllerFaults.Credits {
    switch (words.first, words.count) {
    case ("prompt", 1): return .prompt
    case ("withheld", 1): return .withheld
    case ("late", 2): return .late(.milliseconds(try count(words[1], 1...3_600_000)))
    case ("lost", 2): return .everyLost(try count(words[1], 1...1_000_000))
    default: throw Problem("type fault A credits prompt, withheld, late MILLISECONDS or lost N")
    }
  }

  // MARK: Words

  private func expect(_ words: [String], _ count: Int, _ form: String) throws(Problem) {
    guard words.count == count else { throw Problem("type \(form)") }
  }

  private func controller(_ name: String) throws(Problem) -> String {
    let names = radio.controllerNames
    guard names.contains(name) else {
      let others = names.isEmpty ? "there is none yet" : "there are \(names.joined(separator: ", "))"
      throw Problem("there is no controller \(name): \(others)")
    }
    return name
  }

  private func pair(_ words: [String], _ form: String) throws(Problem) -> (String, String, String) {
    try expect(words, 3, form)
    guard words[0] != words[1] else { throw Problem("name two controllers: \(form)") }
    return (try controller(words[0]), try controller(words[1]), words[2])
  }

  private func number(_ word: String, _ range: ClosedRange<Double>, _ kind: String) throws(Problem) -> Double? {
    if word == "none" { return nil }
    guard let number = Double(word), range.contains(number) else { throw Problem("\(word) is not \(kind), or none") }
    return number
  }

  private func count(_ word: String, _ range: ClosedRange<Int>) throws(Problem) -> Int {
    guard let number = Int(word), range.contains(number) else {
      throw Problem("\(word) is no number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private func hexadecimal(_ word: String, _ range: ClosedRange<Int>, _ kind: String) throws(Problem) -> Int {
    let digits = word.hasPrefix("0x") ? word.dropFirst(2) : word[...]
    guard digits.first != "+", digits.first != "-", let number = Int(digits, radix: 16), range.contains(number) else {
      throw Problem("\(word) is not \(kind) in hexadecimal digits")
    }
    return number
  }

  private func opcode(_ word: String) throws(Problem) -> UInt16 {
    UInt16(try hexadecimal(word, 0x0001...0xFFFF, "an opcode"))
  }
}
