/// The items that wait for the next block of a `CallbackQueue`.
struct CallbackInbox<Handler: CallbackHandler> {
  /// The positions of a subject's items in `items`.
  private struct Places {
    var first: Int
    var last: Int?
  }

  var items: [Handler.Item] = []
  var isScheduled = true
  /// The positions for each subject that has an item in `items`.
  private var places: [Handler.Subject: Places] = [:]
  /// The sources whose first item is in `items`, or about to arrive.
  var begun: Set<Handler.Source> = []
  /// How many of `items` are of ended sources.
  private var endedCount = 0
  /// Whether items of ended sources were dropped.
  var hasDropped = false

  /// Adds an item. Returns false if the limit of subjects is reached.
  mutating func add(_ item: Handler.Item, of subject: Handler.Subject, mayDrop: Bool) -> Bool {
    guard let known = places[subject] else {
      guard !mayDrop || places.count < CallbackQueue<Handler>.subjectCapacity else { return false }
      places[subject] = Places(first: items.count)
      items.append(item)
      return true
    }
    if let last = known.last {
      items[last] = item
    } else {
      places[subject]?.last = items.count
      items.append(item)
    }
    return true
  }

  /// Adds the last item of a source, or drops the source's waiting items; returns true if it dropped them.
  mutating func end(_ item: Handler.Item, of source: Handler.Source) -> Bool {
    let count = items.count { Handler.source(of: $0) == source } + 1
    let isUnseen = begun.remove(source) != nil
    if endedCount + count <= CallbackQueue<Handler>.endedCapacity {
      endedCount += count
      items.append(item)
      return false
    }
    drop(source)
    // These are bounded by the number of sources that were active when the inbox was emptied.
    if !isUnseen { items.append(item) }
    return true
  }

  /// Resets the inbox after its items were removed.
  mutating func reset() {
    if !places.isEmpty { places = [:] }
    if !begun.isEmpty { begun = [] }
    endedCount = 0
    hasDropped = false
  }

  /// Removes the items of a source; the others keep their order.
  private mutating func drop(_ source: Handler.Source) {
    var remaining: [Handler.Item] = []
    remaining.reserveCapacity(items.count)
    var moved: [Int?] = []
    moved.reserveCapacity(items.count)
    for item in items {
      let remains = Handler.source(of: item) != source
      moved.append(remains ? remaining.count : nil)
      if remains { remaining.append(item) }
    }
    items = remaining
    places = places.compactMapValues { old in
      moved[old.first].map { Places(first: $0, last: old.last.flatMap { moved[$0] }) }
    }
  }
}
