import Foundation
import LatchkeyCommandLine
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol
import LatchkeySystem

/// What `device` prints.
struct DeviceReport {
  private let output: EventOptions
  private let showsSecrets: Bool

  init(_ output: EventOptions, showsSecrets: Bool) {
    self.output = output
    self.showsSecrets = showsSecrets
  }

  /// Emits a payload. A password is shown only if it may be.
  func emit(_ request: LegacyUnauthenticatedRequest) {
    let central = request.central.uuidString
    let service = JSONLine.Value.text(request.service.rawValue)
    if let credentials = try? request.credentials() {
      let ssid = PrintableText.escaped(credentials.ssid)
      let password = showsSecrets ? PrintableText.escaped(credentials.password) : "(hidden; --show-secrets shows it)"
      output.emit(
        "received from \(central):\n  ssid: \(ssid)\n  password: \(password)", "received",
        [
          "central": .text(central), "service": service, "ssid": .text(credentials.ssid),
          "password": showsSecrets ? .text(credentials.password) : .null,
        ])
      return
    }
    let shown = text(of: request)
    output.emit(
      "received from \(central):\n  text: \(shown.map(PrintableText.escaped) ?? "(hidden; --show-secrets shows it)")",
      "received", ["central": .text(central), "service": service, "text": shown.map { .text($0) } ?? .null])
  }

  /// Emits an event.
  func emit(_ event: LegacyUnauthenticatedDeviceEvent, name: String) {
    switch event {
    case .advertising:
      output.emit("advertising as \(PrintableText.escaped(name))", "advertising", ["name": .text(name)])
    case .radioLost: output.emit("the radio is gone; advertising goes on when it is back", "radioLost")
    case .subscribed(let central, let service):
      output.emit(
        "\(central.uuidString) subscribed to the answers of \(service.rawValue)", "subscribed",
        ["central": .text(central.uuidString), "service": .text(service.rawValue)])
    case .receivedFrame(let frame, let central): emit(frame, "receivedFrame", "from", central)
    case .sentFrame(let frame, let central): emit(frame, "sentFrame", "to", central)
    case .unauthenticatedKeyAgreed(let central):
      output.emit(
        "\(central.uuidString) has agreed on a key; nothing proves who it is", "keyAgreed",
        ["central": .text(central.uuidString)])
    case .requested: break  // The payload itself is emitted.
    case .answered(let answer, let central): emit(answer, central)
    case .notAnswered(let error, let central):
      output.emit(
        "\(central.uuidString) cannot be answered: \(error.words)", "notAnswered",
        ["central": .text(central.uuidString)])
    case .refused(let error, let central):
      output.emit(
        "\(central.uuidString) was refused: \(error.words)", "refused",
        ["central": .text(central.uuidString), "code": .text(error.refusal?.code ?? "\(error)")])
    case .timedOut(let central):
      output.emit(
        "\(central.uuidString) fell silent; its key is erased", "timedOut", ["central": .text(central.uuidString)])
    case .unsubscribed(let central, let service):
      output.emit(
        "\(central.uuidString) left; its key is erased", "unsubscribed",
        ["central": .text(central.uuidString), "service": .text(service.rawValue)])
    }
  }

  /// Text that is no credentials; nil if it may hold a password all the same, such as one in a form of JSON not known here.
  private func text(of request: LegacyUnauthenticatedRequest) -> String? {
    let text = request.text ?? "(\(request.bytes.count) bytes that are no UTF-8)"
    return showsSecrets || !Self.mayHoldPassword(text) ? text : nil
  }

  /// Whether a text looks like JSON of any form: an object or a list.
  static func mayHoldPassword(_ text: String) -> Bool {
    let first = text.first { !$0.isWhitespace }
    return first == "{" || first == "["
  }

  private func emit(_ frame: LegacyFrame, _ event: String, _ direction: String, _ central: UUID) {
    let description = FrameDescription(frame)
    output.emit(
      "\(description.meaning), \(direction) \(central.uuidString): \(description.hexadecimal)", event,
      [
        "central": .text(central.uuidString), "type": .text(description.type), "length": .integer(frame.payload.count),
        "payload": .text(description.payload),
      ])
  }

  private func emit(_ answer: LegacyUnauthenticatedAnswer, _ central: UUID) {
    let words = "answered \(central.uuidString): \(answer.words)"
    let central = JSONLine.Value.text(central.uuidString)
    switch answer {
    case .code(let code): output.emit(words, "answered", ["central": central, "code": .integer(code.rawValue)])
    case .status(let status): output.emit(words, "answered", ["central": central, "status": .text(status.rawValue)])
    case .text(let text): output.emit(words, "answered", ["central": central, "text": .text(text)])
    }
  }
}

extension LegacyDeviceError {
  /// The error as the end of a command.
  var failure: CommandFailure { CommandFailure(.unavailable, code: code, cause: cause, explanation) }

  private var cause: String? {
    if case .radioUnavailable(_, let cause) = self { return cause }
    return nil
  }

  /// Its name in JSON.
  private var code: String {
    switch self {
    case .radioUnavailable: "radioUnavailable"
    case .serviceRefused: "serviceRefused"
    case .advertisingFailed: "advertisingFailed"
    }
  }

  /// What went wrong, in a line.
  private var explanation: String {
    switch self {
    case .radioUnavailable(let state, let cause): ControllerOptions.absence(state, cause: cause)
    case .serviceRefused(let service, let reason): "service \(service.rawValue) cannot be offered: \(reason)"
    case .advertisingFailed(let reason): "advertising cannot begin: \(reason)"
    }
  }
}
