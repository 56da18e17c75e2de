import LatchkeyByteCoding

/// The indications of one link: one unconfirmed at a time (Core 6.0 Vol 3 Part F 3.3.2).
struct IndicationQueue: Sendable {
  /// The most indications that may wait behind the outstanding one before the queue is full.
  static let mostWaiting = 16

  /// The value whose confirmation is outstanding.
  var outstanding: AttributeHandle?
  /// When the peer's time to confirm ends.
  var deadline: Duration?
  /// How often the database had changed when it was made.
  var changes: UInt64 = 0
  /// The indications to send next.
  var waiting: [(handle: AttributeHandle, value: [UInt8], changes: UInt64)] = []
}

/// Values that the server sends on its own initiative (Core 6.0 Vol 3 Part F 3.4.7).
extension ATTServer {
  /// The peer's subscription to a characteristic; none while the link lacks the encryption that it needs, and while the
  /// peer would take the value for that of another characteristic (Part G 2.5.2.1).
  package func subscription(to valueHandle: AttributeHandle) -> Subscription {
    if awareness.isOutOfSync, valueHandle != awareness.serviceChanged { return .none }
    return subscriptions.subscription(valueHandle, on: security, leastKeySize: leastKeySize)
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
        indications.waiting.append((valueHandle, value, awareness.changes))
        return .queued
      }
      return .send(indicate(valueHandle, value, awareness.changes, now: now))
    }
  }

  /// Handles a confirmation and sends the next indication. An unexpected confirmation is ignored.
  mutating func receiveConfirmation(_ pdu: ByteReader, now: Duration, into outputs: inout [ATTServerOutput]) {
    guard pdu.remaining == 1 else { return }
    if indications.outstanding == awareness.serviceChanged, awareness.confirmed(indications.changes) {
      hasChangedClient = true
    }
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
      outputs.append(.send(indicate(next.handle, next.value, next.changes, now: now)))
    }
    outputs.append(.indicationConfirmed(handle))
  }

  private mutating func indicate(
    _ handle: AttributeHandle, _ value: [UInt8], _ changes: UInt64, now: Duration
  ) -> [UInt8] {
    indications.outstanding = handle
    indications.changes = changes
    indications.deadline = now + ATTLimits.transactionTimeout
    return ATTHandleValueIndication(handle: handle, value: ATTLimits.cut(value, to: maximumUpdateLength)).frame()
  }
}
