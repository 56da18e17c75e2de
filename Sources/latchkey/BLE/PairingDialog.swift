import CoreBluetooth
import Foundation
import LatchkeyCommandLine
import LatchkeySystem

/// Questions about pairings at the terminal: each is printed, and the next line is its answer.
struct PairingDialog: Sendable {
  private let output: EventOptions
  /// What the user was asked; nil while there is no question.
  private(set) var question: CBPairingRequest?

  init(_ output: EventOptions) { self.output = output }

  /// Prints a question.
  mutating func ask(_ request: CBPairingRequest) {
    question = request
    let (text, kind, digits): (String, String, String?) =
      switch request.question {
      case .confirm: ("pair with the device? Nothing protects against a third party: yes or no", "confirm", nil)
      case .compare(let digits): ("does the device show \(digits)? yes or no", "compare", digits)
      case .show(let digits): ("enter \(digits) in the device; no cancels", "show", digits)
      case .enter: ("which six digits does the device show? no cancels", "enter", nil)
      case .outOfBandData: ("this command has no out-of-band data: no cancels", "outOfBandData", nil)
      }
    output.emit(
      text, "pairing",
      [
        "identifier": .text(request.peerIdentifier.uuidString), "question": .text(kind),
        "digits": digits.map { .text($0) } ?? .null,
      ])
  }

  /// Answers the question by a line; false if the line is no answer, and the question stays.
  mutating func answer(_ line: String) -> Bool {
    guard let request = question else { return true }
    let words = line.split(separator: " ")
    let word = words.count == 1 ? words[0].lowercased() : ""
    switch (request.question, word) {
    case (_, "no"), (_, "quit"): request.reject()
    case (.confirm, "yes"), (.compare, "yes"): request.accept()
    case (.enter, _) where request.enter(word): break
    default:
      StandardStreams.reportError("\(PrintableText.escaped(line)) is no answer: the device waits for 30 seconds")
      return false
    }
    question = nil
    return true
  }

  /// Rejects, since nobody answers any more.
  mutating func giveUp() {
    question?.reject()
    question = nil
  }

  mutating func paired(_ identifier: UUID, isStored: Bool) {
    question = nil
    output.emit(
      "paired" + (isStored ? "" : ", until the connection ends"), "paired",
      ["identifier": .text(identifier.uuidString), "stored": .boolean(isStored)])
  }

  mutating func notPaired(_ identifier: UUID, _ reason: String) {
    question = nil
    output.emit(
      "not paired: \(PrintableText.escaped(reason))", "notPaired",
      ["identifier": .text(identifier.uuidString), "reason": .text(reason)])
  }
}
