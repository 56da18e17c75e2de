import LatchkeyByteCoding

/// The indications of one link: one unconfirmed at a time (Core 6.0 Vol 3 Part F 3.3.2).
struct IndicationQueue: Sendable {
  /// The most indications that may wait behind the outstanding one before the queue is full.
  static let mostWaiting = 16

  /// The value whose confirmation is outstanding.
  var outstanding: AttributeHandle?
  /// When the peer's time to confirm ends.
  var deadline: Duration?
  /// The indications to send next.
  var waiting: [(handle: AttributeHandle, value: [UInt8])] = []
}

/// Values that the server sends on its own initiative (Core 6.0 Vol 3 Part F 3.4.7).
extension ATTServer {
  /// The peer's subscription to a characteristic; none while the link lacks the encryption that it needs.
  package func subscription(to valueHandle: AttributeHandle) -> Subscription {
    subscriptions.subscription(valueHandle, on: security, leastKeySize: leastKeySize)
  }

  /// How many bytes of a value a notification or an indication carries.
  package var maximumUpdateLength: Int { min(mtu - 3, ATTLimits.longestValue) }

  /// Sends a value to the peer by its subscription, if any. Bytes that do not fit are cut off (Part G 4.10).
  package mutating func update(
    _ value: [UInt8], of valueHandle: AttributeHandle, mostWaiting: Int = IndicationQueue.mostWaiting, now: Duration
  ) -> ATTServerUpdate {
    guard !isDead else { return .notSubscribed }
    switch subscription(to: valueHandle) {
    case .none: return .notSubscribed
    case .notifications:
      let part = ATTLimits.cut(value, to: maximumUpdateLength)
      return .send(ATTHandleValueNotification(handle: valueHandle, value: part).frame())
    case .indications:
      guard indications.outstanding == nil else {
        guard indications.waiting.count < mostWaiting else { return .full }
        indications.waiting.append((valueHandle, value))
        return .queued
      }
      return .send(indicate(valueHandle, value, now: now))
    }
  }

  /// Handles a confirmation and sends the next indication. An unexpected confirmation is ignored.
  mutating func receiveConfirmation(_ pdu: ByteReader, now: Duration, into outputs: inout [ATTServerOutput]) {
    guard pdu.remaining == 1 else { return }
    endIndication(now: now, into: &outputs)
  }

  /// Ends the outstanding indication, confirmed or dropped before it was sent, and sends the next one.
  package mutating func endIndication(now: Duration, into outputs: inout [ATTServerOutput]) {
    guard let handle = indications.outstanding else { return }
    indications.outstanding = nil
    indications.deadline = nil
    while indications.outstanding == nil, !indications.waiting.isEmpty {
      let next = indications.waiting.removeFirst()
      // The peer may have unsubscribed meanwhile.
      guard subscription(to: next.handle) == .indications else { continue }
      outputs.append(.send(indicate(next.handle, next.value, now: now)))
    }
    outputs.append(.indicationConfirmed(handle))
  }

  private mutating func indicate(_ handle: AttributeHandle, _ value: [UInt8], now: Duration) -> [UInt8] {
    indications.outstanding = handle
    indications.deadline = now + ATTLimits.transactionTimeout
    return ATTHandleValueIndication(handle: handle, value: ATTLimits.cut(value, to: maximumUpdateLength)).frame()
  }
}
