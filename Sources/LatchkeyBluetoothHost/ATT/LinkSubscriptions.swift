/// The Client Characteristic Configurations of one link (Core 6.0 Vol 3 Part G 3.3.3.3): those that are not zero.
struct LinkSubscriptions: Sendable {
  /// One configuration.
  struct Entry: Sendable {
    var valueHandle: AttributeHandle
    /// 0x01 notifications, 0x02 indications.
    var bits: UInt8
    var owner: ClientID?
    /// Whether values are sent on an encrypted link alone.
    var needsEncryption: Bool

    /// The configuration that a peer wrote to an attribute.
    init(_ valueHandle: AttributeHandle, _ bits: UInt8, _ attribute: GATTAttribute) {
      self.valueHandle = valueHandle
      self.bits = bits
      owner = attribute.owner
      needsEncryption = !attribute.permissions.contains(.writeable)
    }
  }

  /// A few at most, in the order in which they were set.
  private(set) var entries: [Entry] = []

  /// The configuration of a characteristic.
  func bits(_ valueHandle: AttributeHandle) -> UInt8 {
    for entry in entries where entry.valueHandle == valueHandle { return entry.bits }
    return 0
  }

  /// The subscription of a configuration: with both bits set, values are notified. There is none while the link lacks the
  /// encryption that the configuration needs, or has it by a key that is too short.
  func subscription(_ valueHandle: AttributeHandle, on security: LinkSecurity, leastKeySize: UInt8) -> Subscription {
    for entry in entries where entry.valueHandle == valueHandle {
      guard
        !entry.needsEncryption
          || security.refusal(needsAuthentication: false, hasKey: true, leastKeySize: leastKeySize) == nil
      else { return .none }
      return entry.bits & 0x01 != 0 ? .notifications : entry.bits & 0x02 != 0 ? .indications : .none
    }
    return .none
  }

  /// Sets a configuration.
  mutating func set(_ entry: Entry) {
    let index = entries.firstIndex { $0.valueHandle == entry.valueHandle }
    switch (index, entry.bits) {
    case (let index?, 0): entries.remove(at: index)
    case (let index?, _): entries[index] = entry
    case (nil, 0): break
    case (nil, _): entries.append(entry)
    }
  }

  /// Removes those of removed attributes.
  mutating func remove(in range: AttributeHandleRange) {
    entries.removeAll { range.contains($0.valueHandle) }
  }
}

/// The subscription of a central to a characteristic (Core 6.0 Vol 3 Part G 3.3.3.3).
public enum Subscription: Sendable, Hashable {
  /// Nothing.
  case none
  /// Values without confirmation.
  case notifications
  /// Values with confirmation.
  case indications
}
