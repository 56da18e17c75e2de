extension Host {
  /// Requests other parameters of a link from the central at its other end (Core 6.0 Vol 3 Part A 4.20). The central
  /// may refuse. Does nothing on a link where this host is the central, or that has ended.
  package mutating func requestParameters(_ parameters: ConnectionParameters, on id: LinkID, now: Duration) {
    guard parameters.isValid, let link = link(id), link.role == .peripheral, !link.isClosing else { return }
    send(
      L2CAPSignal.connectionParameterUpdateRequest(parameters).frame(identifier: Self.parametersIdentifier),
      .signalling, on: link, now: now)
    flush(now: now)
  }

  /// The identifier of these requests, the only ones of this host on the signalling channel.
  private static var parametersIdentifier: UInt8 { 0x01 }
}
