// Channels that wait until their link is secure (Core 6.0 Vol 3 Part C 10.3.1).
extension Host {
  /// Requests a channel of the peer; it has its identifier already. A link that is to be encrypted first holds it.
  mutating func request(_ channel: CreditBasedChannel, now: Duration) {
    let link = channel.link
    // Its end ends the channel, too.
    guard !link.isClosing else { return }
    if let pairing = link.pairing, pairing.mustBeSecured {
      // A link that could not be encrypted waits for nothing any more.
      if case .nothing = pairing.wait {
        return failed(channel, .notSecured(pairing.isKeyMissing ? .keyMissing : .encryptionFailed))
      }
      channel.state = .waiting
      return
    }
    let own = ChannelParameters.own
    let request = L2CAPLECreditBasedConnectionRequest(
      spsm: channel.psm, source: channel.local, mtu: own.mtu, mps: own.mps, initialCredits: own.credits)
    guard
      let frame = link.signalling.request(
        .leCreditBasedConnectionRequest(request), for: .connection(channel.id), now: now)
    else { return failed(channel, .noResources) }
    channel.state = .connecting
    send(frame, .signalling, on: link, now: now)
    arm(link)
  }

  /// Handles a peer's refusal of a channel. One for lack of security raises it, once, and the channel is requested again.
  mutating func refused(_ channel: CreditBasedChannel, _ result: ChannelResult, now: Duration) {
    guard let code = result.missingSecurity, channel.state == .connecting, channel.refusal == nil else {
      return failed(channel, .refused(result))
    }
    let link = channel.link
    channel.refusal = result
    channel.state = .waiting
    // A controller that encrypts passes nothing on meanwhile.
    link.client.hold()
    raiseSecurity(for: channel.client, code, on: link, now: now)
  }

  /// Requests the channels that waited for the security of their link.
  mutating func resumeChannels(of link: Link, now: Duration) {
    guard !link.channels.isEmpty else { return }
    for channel in link.channels.all where channel.state == .waiting { request(channel, now: now) }
  }

  /// Ends the channels that waited for the security of their link: by the peer's refusal, unless there is another reason.
  mutating func failWaitingChannels(of link: Link, _ failure: GATTFailure?) {
    guard !link.channels.isEmpty else { return }
    for channel in link.channels.all where channel.state == .waiting {
      if let failure {
        failed(channel, .notSecured(failure))
      } else {
        failed(channel, channel.refusal.map { .refused($0) } ?? .notSecured(.encryptionFailed))
      }
    }
  }

  /// Ends what waits for the security of a link, without it: the peer's refusals stand, or `failure` is the reason.
  mutating func giveUpSecurity(of link: Link, _ failure: GATTFailure?) {
    link.client.giveUp(failure, into: &link.clientOutputs)
    failWaitingChannels(of: link, failure)
  }
}

extension ChannelResult {
  /// The same refusal in ATT's words, if more security could end it.
  fileprivate var missingSecurity: ATTErrorCode? {
    switch self {
    case .insufficientAuthentication: .insufficientAuthentication
    case .insufficientEncryption: .insufficientEncryption
    case .keySizeTooShort: .encryptionKeySizeTooShort
    default: nil
    }
  }
}
