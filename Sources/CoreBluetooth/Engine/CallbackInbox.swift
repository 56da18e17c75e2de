/// What waits for the next block of a `CallbackQueue`.
struct CallbackInbox<Handler: CallbackHandler> {
  /// Where a subject's items are among `items`.
  private struct Places {
    var first: Int
    var last: Int?
  }

  var items: [Handler.Item] = []
  var isScheduled = true
  /// For each subject that has an item among `items`.
  private var places: [Handler.Subject: Places] = [:]
  /// The sources whose first item is among `items`, or about to come.
  var begun: Set<Handler.Source> = []
  /// How many of `items` are of sources that have ended.
  private var endedCount = 0
  /// Whether items of such sources were dropped.
  var hasDropped = false

  /// False if there is no room for another subject.
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

  /// Adds the last item of a source, or drops what waits of it; true if it did that.
  mutating func end(_ item: Handler.Item, of source: Handler.Source) -> Bool {
    let count = items.count { Handler.source(of: $0) == source } + 1
    let isUnseen = begun.remove(source) != nil
    if endedCount + count <= CallbackQueue<Handler>.endedCapacity {
      endedCount += count
      items.append(item)
      return false
    }
    drop(source)
    // Of these there are no more than sources that had not ended when the inbox was emptied.
    if !isUnseen { items.append(item) }
    return true
  }

  /// The items were taken.
  mutating func reset() {
    if !places.isEmpty { places = [:] }
    if !begun.isEmpty { begun = [] }
    endedCount = 0
    hasDropped = false
  }

  /// Takes the items of a source out; the others keep their order.
  private mutating func drop(_ source: Handler.Source) {
    var kept: [Handler.Item] = []
    kept.reserveCapacity(items.count)
    var moved: [Int?] = []
    moved.reserveCapacity(items.count)
    for item in items {
      let isKept = Handler.source(of: item) != source
      moved.append(isKept ? kept.count : nil)
      if isKept { kept.append(item) }
    }
    items = kept
    places = places.compactMapValues { old in
      moved[old.first].map { Places(first: $0, last: old.last.flatMap { moved[$0] }) }
    }
  }
}
