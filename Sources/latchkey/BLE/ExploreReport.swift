import Foundation
import LatchkeyCommandLine
import LatchkeySystem

/// What `ble explore` prints. In JSON the answer to a line has the line's number as its `id`; what no line asked for has null.
struct ExploreReport: Sendable {
  let output: EventOptions

  /// A number that pairs an answer with its line; nil for what comes unasked.
  typealias ID = Int?

  func device(_ number: Int, _ device: Advertisement, id: ID) {
    emit("\(number)  \(device.line)", "device", id, device.fields)
  }

  func connected(_ device: Advertisement, id: ID) {
    emit(
      "connected to \(PrintableText.escaped(device.name ?? device.identifier.uuidString))", "connected", id,
      [("identifier", .text(device.identifier.uuidString)), ("name", .maybe(device.name))])
  }

  func disconnected(_ reason: String?, id: ID) {
    emit(
      "disconnected" + (reason.map { ": \(PrintableText.escaped($0))" } ?? ""), "disconnected", id,
      [("reason", .maybe(reason))])
  }

  func services(_ services: [DiscoveredService], id: ID) {
    for service in services { emit(service.lines.joined(separator: "\n"), "service", id, service.fields) }
  }

  /// A value that was read, or an update.
  func value(_ event: String, _ path: String, _ attribute: FoundAttribute, _ value: [UInt8], id: ID) {
    emit(
      "\(event) \(attribute.label(path)): \(attribute.words(value))", event, id,
      attribute.fields(path, value))
  }

  /// Something that was done with an attribute.
  func done(_ event: String, _ path: AttributePath, _ attribute: FoundAttribute, id: ID) {
    emit("\(event) \(attribute.label(path.text))", event, id, attribute.fields(path.text))
  }

  func grammar(id: ID) {
    for line in ExploreInput.grammar.split(separator: "\n", omittingEmptySubsequences: false) {
      emit(String(line), "help", id, [("text", .text(String(line)))])
    }
  }

  /// A line could not be done.
  func failed(_ line: String, _ error: any Error, id: ID) {
    let (code, message) = AttributeFailure.words(error)
    let verb = PrintableText.escaped(String(line.split(separator: " ").first ?? ""))
    failed(verb, command: .text(line), code: code, message, id: id)
  }

  /// A line is no command.
  func refused(_ number: Int, _ message: String) {
    failed("line \(number)", command: .null, code: nil, message, id: number)
  }

  /// All that a line led to has been printed.
  func finished(id: ID) { emit(nil, "finished", id, []) }

  private func failed(_ label: String, command: JSONLine.Value, code: Int?, _ message: String, id: ID) {
    if !output.json { StandardStreams.reportError("\(label): \(message)") }
    emit(nil, "failed", id, [("command", command), ("code", .maybe(code)), ("message", .text(message))])
  }

  private func emit(_ line: String?, _ event: String, _ id: ID, _ fields: EventFields) {
    let number: EventFields = [("id", .maybe(id))]
    output.emit(line, event, fields: number + fields)
  }
}
