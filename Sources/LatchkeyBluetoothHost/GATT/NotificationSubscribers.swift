/// The clients of this host that subscribed to values of a peer, and the peer's configuration (Core 6.0 Vol 3 Part G
/// 3.3.3.3: a configuration is the link's, so clients share it).
struct NotificationSubscribers: Sendable {
  /// One characteristic.
  struct Entry: Sendable {
    var valueHandle: AttributeHandle
    /// The Client Characteristic Configuration; 0 until it is discovered.
    var descriptor: AttributeHandle
    /// Whether the peer was configured to send.
    var isOn = false
    var clients: [ClientID] = []
  }

  /// By value handle, in order.
  private(set) var entries: [Entry] = []

  /// The subscribers of a value; nil for none.
  @inline(__always)
  func clients(of valueHandle: AttributeHandle) -> [ClientID]? {
    for entry in entries where entry.valueHandle == valueHandle { return entry.clients.isEmpty ? nil : entry.clients }
    return nil
  }

  /// The entry of a characteristic.
  subscript(valueHandle: AttributeHandle) -> Entry {
    get { entries.first { $0.valueHandle == valueHandle } ?? Entry(valueHandle: valueHandle, descriptor: 0) }
    set {
      let index = entries.firstIndex { $0.valueHandle == valueHandle }
      let isEmpty = newValue.descriptor == 0 && newValue.clients.isEmpty
      switch (index, isEmpty) {
      case (let index?, false): entries[index] = newValue
      case (let index?, true): entries.remove(at: index)
      case (nil, false): entries.append(newValue)
      case (nil, true): break
      }
    }
  }

  /// Adds a subscriber; false if it is subscribed already.
  mutating func add(_ client: ClientID, to valueHandle: AttributeHandle) -> Bool {
    guard !self[valueHandle].clients.contains(client) else { return false }
    self[valueHandle].clients.append(client)
    return true
  }

  /// Removes a subscriber.
  mutating func remove(_ client: ClientID, from valueHandle: AttributeHandle) {
    self[valueHandle].clients.removeAll { $0 == client }
  }

  /// Removes the characteristics of a range, except one: they are no longer valid.
  mutating func removeAll(in range: AttributeHandleRange, except retained: AttributeHandle) {
    entries.removeAll { range.contains($0.valueHandle) && $0.valueHandle != retained }
  }
}
