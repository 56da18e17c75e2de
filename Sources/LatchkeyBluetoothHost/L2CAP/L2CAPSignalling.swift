package import LatchkeyByteCoding

/// What follows from a PDU of the LE signalling channel by itself (Core 6.0 Vol 3 Part A 4).
///
/// A pure function of the PDU and the role: unknown or malformed commands are rejected, and responses are never
/// answered. What depends on open channels or on commands that were sent is for the caller.
package enum L2CAPSignalling {
  /// The MTU of the channel, and the longest PDU that is decoded (Vol 3 Part A 4).
  package static let mtu = 23

  /// The action for a PDU.
  package enum Reaction: Sendable, Equatable {
    case ignore
    /// Send this frame on the signalling channel.
    case send([UInt8])
    /// Send this frame, then change the link's parameters by HCI LE Connection Update.
    case update(ConnectionParameters, send: [UInt8])
    /// The peer opens or closes a channel, or gives credits to one: the caller answers with the identifier.
    case channel(identifier: UInt8, L2CAPSignal)
    /// The peer answered one of this host's commands.
    case answered(identifier: UInt8, L2CAPSignal)
  }

  /// Decides on a PDU. On LE it is one command (Vol 3 Part A 4, figure 4.2).
  ///
  /// - Parameter isChangingParameters: whether the link's parameters are being changed; others are refused meanwhile.
  package static func react(
    to payload: ByteReader, role: LinkRole, isChangingParameters: Bool = false
  ) -> Reaction {
    var reader = payload
    guard let code = try? reader.uint8("code"), let identifier = try? reader.uint8("identifier"),
      let length = try? reader.uint16("length"), identifier != 0
    else { return .ignore }
    guard payload.remaining <= mtu else {
      return reject(.mtuExceeded(UInt16(mtu)), code, identifier)
    }
    guard reader.remaining == length, let signal = try? L2CAPSignal(code: code, decoding: reader) else {
      return reject(.notUnderstood, code, identifier)
    }
    switch signal {
    case .connectionParameterUpdateRequest(let parameters):
      // Only a central decides on parameters; a peripheral does not support the command (4.20).
      guard role == .central else { return reject(.notUnderstood, code, identifier) }
      let isAccepted = parameters.isAcceptable && !isChangingParameters
      let response = L2CAPSignal.connectionParameterUpdateResponse(isAccepted: isAccepted)
      let frame = response.frame(identifier: identifier)
      return isAccepted ? .update(parameters, send: frame) : .send(frame)
    case .disconnectionRequest, .leCreditBasedConnectionRequest, .flowControlCredit:
      return .channel(identifier: identifier, signal)
    case .commandReject, .disconnectionResponse, .connectionParameterUpdateResponse,
      .leCreditBasedConnectionResponse:
      return .answered(identifier: identifier, signal)
    case .unknown:
      return reject(.notUnderstood, code, identifier)
    }
  }

  private static func reject(
    _ reason: L2CAPSignal.RejectReason, _ code: UInt8, _ identifier: UInt8
  ) -> Reaction {
    guard !L2CAPSignal.Code.needsNoAnswer(code) else { return .ignore }
    return .send(L2CAPSignal.commandReject(reason).frame(identifier: identifier))
  }
}
