package import LatchkeyByteCoding

/// How a command ended, as far as its own reply tells.
package enum HCIReply: Sendable {
  /// Command Complete, with the return parameters.
  case complete(ByteReader)
  /// Command Status: with success the command goes on and ends with an event of its own.
  case status(HCIStatus)
  /// Nothing came in time. Controllers exist that never answer a command that they do not know.
  case timedOut

  /// The status of either event; nil if nothing came, or an event without a status.
  package var status: HCIStatus? {
    switch self {
    case .complete(let parameters): parameters.peek().map(HCIStatus.init(rawValue:))
    case .status(let status): status
    case .timedOut: nil
    }
  }

  /// What `command` returned; nil unless it succeeded and the parameters are whole, to the last byte.
  package func returned<Command: HCISynchronousCommand>(by command: Command.Type) -> Command.ReturnParameters? {
    guard case .complete(var reader) = self, status == .success,
      let parameters = try? Command.ReturnParameters(from: &reader), reader.isEmpty
    else { return nil }
    return parameters
  }
}
