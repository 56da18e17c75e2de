import Foundation
import LatchkeyCommandLine
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol
import LatchkeySystem

/// What `provision --legacy` prints.
struct ProvisioningReport {
  private let output: EventOptions

  init(_ output: EventOptions) { self.output = output }

  /// Emits one step.
  func emit(_ step: LegacyUnauthenticatedProgress) {
    switch step {
    case .searching: output.progress("Searching …", "searching")
    case .found(let name, let identifier):
      output.progress(
        "Found \(PrintableText.escaped(name ?? "")) \(identifier.uuidString)", "found",
        ["name": name.map { .text($0) } ?? .null, "identifier": .text(identifier.uuidString)])
    case .connected: output.progress("Connected", "connected")
    case .discovered(let service):
      output.progress("Using service \(service.rawValue)", "discovered", ["service": .text(service.rawValue)])
    case .subscribed: output.progress("Subscribed to the device's answers", "subscribed")
    case .sentFrame(let frame, let values): emitSent(FrameDescription(frame), values: values)
    case .receivedFrame(let frame):
      let description = FrameDescription(frame)
      output.progress("Received the \(description.meaning)", "receivedFrame", description.fields)
    case .unauthenticatedKeyAgreed: output.progress("A key is agreed on; nothing proves with whom", "keyAgreed")
    case .sentPlainValue(let length):
      output.progress("Sent \(length) bytes in the clear", "sentPlainValue", ["length": .integer(length)])
    case .sentPayload: output.progress("The device has the whole payload", "sentPayload")
    case .answered(let answer): output.progress("The device answered: \(answer.words)", "answered", answer.fields)
    case .disconnecting: output.progress("Disconnecting", "disconnecting")
    }
  }

  /// Emits the result.
  ///
  /// - Throws: the failure whose status belongs to it.
  func emit(
    _ result: Result<LegacyUnauthenticatedResult, LegacyProvisioningError>, target: String
  ) throws(CommandFailure) {
    let value: LegacyUnauthenticatedResult
    do {
      value = try result.get()
    } catch {
      throw CommandFailure(
        error.status, code: error.code, cause: error.cause, error.explanation(of: PrintableText.escaped(target)))
    }
    let outcome = value.unauthenticatedOutcome
    let name = PrintableText.escaped(target)
    output.emit(
      "\(name): \(value.words)", "result",
      [
        "outcome": .text(outcome.rawValue), "service": .text(value.service.rawValue),
        "identifier": .text(value.peripheral.uuidString),
      ])
    switch outcome {
    case .accepted, .connected, .other: return
    case .refused: throw CommandFailure(.badData, code: "refused", "\(name) refused what was sent")
    case .couldNotJoin: throw CommandFailure(.tryLater, code: "couldNotJoin", "\(name) could not join the network")
    }
  }

  private func emitSent(_ frame: FrameDescription, values: Int) {
    output.progress("Sent the \(frame.meaning), in \(values) writes", "sentFrame", frame.fields)
  }
}

extension LegacyUnauthenticatedResult {
  /// The outcome in words, and how little it proves.
  var words: String {
    let outcome =
      switch unauthenticatedOutcome {
      case .connected: "connected to the network"
      case .accepted: "accepted the payload, and did not report whether it joined the network"
      case .refused: "refused the payload"
      case .couldNotJoin: "could not join the network"
      case .other: "answered " + (unauthenticatedAnswers.last?.words ?? "nothing")
      }
    return outcome + (service == .plain ? " (plain, unauthenticated)" : " (legacy, unauthenticated)")
  }
}

extension LegacyUnauthenticatedAnswer {
  /// The answer for people.
  var words: String {
    switch self {
    case .code(.accepted): "code 0, accepted"
    case .code(.refused): "code 1, refused"
    case .code(.couldNotJoin): "code 2, could not join"
    case .status(let status): "status \(status.rawValue)"
    case .text(let text): PrintableText.quoted(text)
    }
  }

  /// The answer's field of a JSON event.
  var fields: KeyValuePairs<String, JSONLine.Value> {
    switch self {
    case .code(let code): ["code": .integer(code.rawValue)]
    case .status(let status): ["status": .text(status.rawValue)]
    case .text(let text): ["text": .text(text)]
    }
  }
}
