extension Host {
  /// Requests other parameters of a link from the central at its other end (Core 6.0 Vol 3 Part A 4.20). The central
  /// may refuse. While a request is outstanding, the last parameters wait. Does nothing on a link where this host is the
  /// central, or that has ended.
  package mutating func requestParameters(_ parameters: ConnectionParameters, on id: LinkID, now: Duration) {
    guard parameters.isValid, let link = link(id), link.role == .peripheral, !link.isClosing,
      let frame = link.signalling.requestParameters(parameters, now: now)
    else { return }
    send(frame, .signalling, on: link, now: now)
    arm(link)
    flush(now: now)
  }

  /// Requests the parameters that waited for the end of an earlier request.
  mutating func requestNextParameters(on link: Link, now: Duration) {
    guard !link.isClosing, let frame = link.signalling.nextParametersRequest(now: now) else { return }
    send(frame, .signalling, on: link, now: now)
    arm(link)
  }
}
