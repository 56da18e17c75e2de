/// The procedures of one link that have not begun, in the order in which they were asked for.
struct ProcedureQueue: Sendable {
  /// One of them.
  struct Entry: Sendable {
    var procedure: GATTProcedure
    /// nil for what the client half does of its own accord.
    var id: RequestID?
    var client: ClientID?
  }

  /// Those before `head` are done with; they go when the queue runs empty, or are half of it.
  private var entries: [Entry] = []
  private var head = 0

  var count: Int { entries.count - head }

  mutating func append(_ entry: Entry) { entries.append(entry) }

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

  /// Takes those of a client out, in order.
  mutating func remove(_ client: ClientID) -> [Entry] {
    let rest = entries.dropFirst(head)
    let removed = rest.filter { $0.client == client }
    guard !removed.isEmpty else { return [] }
    entries = rest.filter { $0.client != client }
    head = 0
    return removed
  }
}
