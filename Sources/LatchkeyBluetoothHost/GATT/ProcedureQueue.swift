/// The procedures of one link that have not started, in the order of submission.
struct ProcedureQueue: Sendable {
  /// A waiting procedure.
  struct Entry: Sendable {
    var procedure: GATTProcedure
    /// nil for procedures that the client half starts itself.
    var id: RequestID?
    var client: ClientID?
    /// Whether a refusal for lack of security may raise it.
    var mayRaiseSecurity = false
  }

  /// Entries before `head` are finished; they are removed when the queue runs empty, or when they are half of it.
  private var entries: [Entry] = []
  private var head = 0

  var count: Int { entries.count - head }

  mutating func append(_ entry: Entry) { entries.append(entry) }

  /// The one that starts next.
  var first: Entry? { head < entries.count ? entries[head] : nil }

  mutating func popFirst() -> Entry? {
    guard head < entries.count else { return nil }
    let entry = entries[head]
    head += 1
    if head == entries.count {
      entries.removeAll(keepingCapacity: entries.capacity <= 64)
      head = 0
    } else if head >= 64, head * 2 >= entries.count {
      entries.removeFirst(head)
      head = 0
    }
    return entry
  }

  /// Removes and returns those of a client, in order.
  mutating func remove(_ client: ClientID) -> [Entry] {
    let rest = entries.dropFirst(head)
    let removed = rest.filter { $0.client == client }
    guard !removed.isEmpty else { return [] }
    entries = rest.filter { $0.client != client }
    head = 0
    return removed
  }
}
