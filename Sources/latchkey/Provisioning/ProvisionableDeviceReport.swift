import Foundation
import LatchkeyCommandLine
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol
import LatchkeySystem

/// What `device` prints of a device with several protocols.
struct ProvisionableDeviceReport {
  private let output: EventOptions
  private let name: String

  init(_ output: EventOptions, name: String) {
    self.output = output
    self.name = name
  }

  /// Emits the code, and as a QR code for people at a terminal. The user has asked for it: it is shown on purpose.
  func emit(code: String, texts: [(protocol: ProvisioningProtocol, text: String)]) {
    output.emit("code: \(PrintableText.escaped(code))", "code", ["code": .text(code)])
    for (kind, text) in texts {
      output.emit(
        "QR code of \(kind.name): \(PrintableText.escaped(text))", "qrCode",
        ["protocol": .text(kind.rawValue), "text": .text(text)])
      guard !output.json, isatty(STDOUT_FILENO) == 1, let code = try? QRCode(Array(text.utf8)) else { continue }
      for line in code.lines(hasColors: true) { output.emit(line, "qrCodeLine") }
    }
  }

  /// Emits an event.
  func emit(_ event: ProvisionableDeviceEvent) {
    switch event {
    case .advertising:
      output.emit("advertising as \(PrintableText.escaped(name))", "advertising", ["name": .text(name)])
    case .radioLost: output.emit("the radio is gone; advertising goes on when it is back", "radioLost")
    case .pressed(let window):
      output.emit(
        "the button was pressed; it holds for \(window.components.seconds) s", "pressed",
        ["seconds": .integer(Int(window.components.seconds))])
    case .pressEnded: output.emit("the button no longer holds", "pressEnded")
    case .opened(let kind, let central, let assurance):
      output.emit(
        "\(central.uuidString) has a session of \(kind.name): \(assurance.words)", "opened",
        [
          "central": .text(central.uuidString), "protocol": .text(kind.rawValue), "assurance": .text(assurance.code),
        ])
    case .closed(let kind, let central):
      output.emit(
        "\(central.uuidString) has left", "closed",
        ["central": .text(central.uuidString), "protocol": .text(kind.rawValue)])
    case .refused(let kind, let central, let words):
      output.emit(
        "\(central.uuidString) was refused by \(kind.name): \(PrintableText.escaped(words))", "refused",
        ["central": .text(central.uuidString), "protocol": .text(kind.rawValue), "reason": .text(words)])
    case .wrongCode(let kind, let central, let left):
      output.emit(
        "\(central.uuidString) does not know the code; \(left) tries are left", "wrongCode",
        ["central": .text(central.uuidString), "protocol": .text(kind.rawValue), "attemptsLeft": .integer(left)])
    case .locked: output.emit("no try is left: only the button opens this device again", "locked")
    case .joining(let ssid):
      let ssid = String(decoding: ssid, as: UTF8.self)
      output.emit("joining \(PrintableText.quoted(ssid)) …", "joining", ["ssid": .text(ssid)])
    case .joined(let joined):
      output.emit(
        "joined \(joined.words)", "joined",
        fields: joined.fields + [("kept", joined.isKept.map { .boolean($0) } ?? .null)])
    case .joinFailed(let failure):
      output.emit("not joined: \(failure.words)", "joinFailed", ["reason": .text(failure.code)])
    case .identify: output.emit("an app asks which device this is\u{7}", "identify")
    case .notStored(let words):
      output.emit(
        "the state cannot be stored, and nobody is let in until it can: \(PrintableText.escaped(words))", "notStored",
        ["reason": .text(words)])
    }
  }
}

extension ProvisionableDeviceError {
  /// The error as the end of a command.
  var failure: CommandFailure {
    switch self {
    case .options(let words): CommandFailure(.usage, words)
    case .stateUnreadable(let words): CommandFailure(.inputOutput, words)
    case .radioUnavailable(let state, let cause):
      CommandFailure(
        .unavailable, code: "radioUnavailable", cause: cause, ControllerOptions.absence(state, cause: cause))
    case .serviceRefused(let service, let reason):
      CommandFailure(.unavailable, code: "serviceRefused", "service \(service) cannot be offered: \(reason)")
    case .advertisingFailed(let reason):
      CommandFailure(.unavailable, code: "advertisingFailed", "advertising cannot begin: \(reason)")
    }
  }
}
