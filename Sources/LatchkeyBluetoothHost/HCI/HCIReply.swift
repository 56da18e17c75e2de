package import LatchkeyByteCoding

/// The end of a command by its own reply.
package enum HCIReply: Sendable {
  /// Command Complete, with the return parameters.
  case complete(ByteReader)
  /// Command Status: with success the command continues and ends with an event of its own.
  case status(HCIStatus)
  /// No reply arrived in time. Some controllers never answer an unknown command.
  case timedOut

  /// The status of either event; nil without a reply, or for an event without a status.
  package var status: HCIStatus? {
    switch self {
    case .complete(let parameters): parameters.peek().map(HCIStatus.init(rawValue:))
    case .status(let status): status
    case .timedOut: nil
    }
  }

  /// The return parameters of `command`; nil unless it succeeded and they decode to the last byte.
  package func returned<Command: HCISynchronousCommand>(by command: Command.Type) -> Command.ReturnParameters? {
    guard case .complete(var reader) = self, status == .success,
      let parameters = try? Command.ReturnParameters(from: &reader), reader.isEmpty
    else { return nil }
    return parameters
  }
}
