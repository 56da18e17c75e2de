// The data of channels with credits, and the credits (Core 6.0 Vol 3 Part A 3.4.3, 10.1).
extension Host {
  /// Handles a frame of a dynamic channel.
  mutating func received(_ frame: L2CAPFrame, onChannelOf link: Link, now: Duration) {
    guard let channel = link.channels[frame.channel] else { return ignored.frames += 1 }
    switch channel.state {
    case .open: break
    // The client wants no more, or the peer may not know yet that the channel ends.
    case .draining, .disconnecting: return
    case .waiting, .connecting, .abandoned, .ended: return ignored.frames += 1
    }
    do {
      if let sdu = try channel.receiver.receive(frame.payload) {
        emit(channel.client, .channel(.data(channel.id, sdu)))
      }
    } catch {
      return fail(channel, error, now: now)
    }
    returnCredits(of: channel, now: now)
  }

  /// Returns credits to the peer once enough of them are due.
  mutating func returnCredits(of channel: CreditBasedChannel, now: Duration) {
    let link = channel.link
    guard !link.isClosing, let credits = channel.receiver.creditsToReturn(),
      let frame = link.signalling.indication(.flowControlCredit(channel: channel.local, credits: credits))
    else { return }
    send(frame, .signalling, on: link, now: now)
  }

  /// Moves a channel's data into the transmitter, as far as the peer's credits and the queue there go.
  mutating func fill(_ channel: CreditBasedChannel, now: Duration) {
    let link = channel.link
    guard channel.isSending, !link.isClosing else { return }
    var room = ACLTransmitter.channelDepth - acl.queuedFrames(of: channel.remote, link.handle)
    while room > 0, let frame = channel.sender.nextFrame(packetLength: acl.packetLength) {
      acl.enqueue(frame, inQueue: channel.remote, link.handle)
      room -= 1
    }
    if channel.state == .open {
      if channel.sender.becameWritable() { emit(channel.client, .channel(.writable(channel.id))) }
    } else if channel.sender.isEmpty, room == ACLTransmitter.channelDepth {
      disconnect(channel, now: now)
    }
  }

  /// Handles that the transmitter has room for more frames of a channel.
  mutating func drained(_ remote: L2CAPChannelID, _ handle: ConnectionHandle, now: Duration) {
    guard let channel = links[handle]?.channels.channel(remote: remote) else { return }
    fill(channel, now: now)
  }

  /// Handles that channels are over their times: those that were closed and still had data, and commands without an
  /// answer.
  mutating func channelsTimedOut(_ link: Link, now: Duration) {
    for channel in link.channels.all where channel.drainDeadline.map({ $0 <= now }) ?? false {
      disconnect(channel, now: now)
    }
    guard let deadline = link.signalling.nextDeadline, deadline <= now else { return }
    // While clients held the whole window, the controller could not deliver an answer.
    if let later = window.excuse(for: L2CAPSignallingMachine.responseTimeout, now: now) {
      return link.signalling.postpone(until: later, now: now)
    }
    for purpose in link.signalling.expire(now: now) {
      switch purpose {
      case .parameters: break
      case .connection(let id):
        guard let channel = link.channels.channel(id), channel.state == .connecting else { continue }
        end(channel, .disconnected, orFailure: .timedOut)
        channel.state = .abandoned
      // The identifier is not used again on this link: the peer may still send on it.
      case .disconnection: break
      }
    }
    requestNextParameters(on: link, now: now)
  }
}
