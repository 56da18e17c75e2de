import Dispatch

/// What a manager's callbacks are made from, one after the other, on the manager's queue.
protocol CallbackHandler: AnyObject, Sendable {
  associatedtype Item
  /// What tells apart items of which the last one says all, such as the states of one thing.
  associatedtype Subject: Hashable = Never
  /// What causes items and comes to an end, such as a link.
  associatedtype Source: Hashable = Never

  /// What caused an item, as far as it may end.
  static func source(of item: Item) -> Source?

  /// Makes the callbacks of one item.
  func deliver(_ item: consuming Item)

  /// A run of items was delivered; there may be more.
  func deliveredRun()
}

extension CallbackHandler where Source == Never {
  static func source(of item: Item) -> Source? { nil }
}

/// Items in the order in which they came, delivered on a dispatch queue.
///
/// Items that come close together share one block on the queue: at high rates its cost would be most of a callback's. A
/// block delivers at most `runLength` items and then queues itself anew, so that a main queue stays responsive.
///
/// What a peer can cause without end has a subject: while the app is busy, the first item of a subject and the last one wait,
/// in the places of the first and the second; where `subjectCapacity` subjects wait, items that may be dropped are. What a
/// source has caused waits after its end, too; where `endedCapacity` items of such sources wait, those of the next one go.
/// Unchecked: `current` belongs to the one block that is queued or running, `isScheduled` says that there is one.
final class CallbackQueue<Handler: CallbackHandler>: @unchecked Sendable {
  private typealias Inbox = CallbackInbox<Handler>

  private let queue: DispatchQueue
  private let inbox = Locked(Inbox())
  /// Taken from the inbox, last one first.
  private var current: [Handler.Item] = []

  private static var runLength: Int { 64 }
  /// How many subjects may have items that wait; those of others are dropped.
  static var subjectCapacity: Int { 1024 }
  /// How many items of sources that have ended may wait.
  static var endedCapacity: Int { 1024 }

  /// A queue that holds everything back until `start(_:)`.
  init(_ queue: DispatchQueue) { self.queue = queue }

  /// Begins to deliver. The handler lives at least until what has come by then is delivered.
  func start(_ handler: Handler) { schedule(handler) }

  /// Adds an item; any thread may, with any lock held but the inbox's own.
  func append(_ item: Handler.Item, to handler: Handler) {
    let isFirst = inbox.withLock { inbox in
      inbox.items.append(item)
      defer { inbox.isScheduled = true }
      return !inbox.isScheduled
    }
    if isFirst { schedule(handler) }
  }

  /// Adds an item that may take the place of an earlier one of its subject; or, if it `mayDrop`, be dropped where very many
  /// wait.
  func append(_ item: Handler.Item, of subject: Handler.Subject, mayDrop: Bool = false, to handler: Handler) {
    let isFirst = inbox.withLock { inbox in
      guard inbox.add(item, of: subject, mayDrop: mayDrop) else { return false }
      defer { inbox.isScheduled = true }
      return !inbox.isScheduled
    }
    if isFirst { schedule(handler) }
  }

  /// Notes that a source is about to cause its first item.
  func begin(_ source: Handler.Source) { inbox.withLock { _ = $0.begun.insert(source) } }

  /// Adds the last item of a source. Where very many of such sources wait, this one's are dropped instead; and the last one,
  /// too, unless earlier ones were delivered.
  ///
  /// - Returns: whether this is the first source of which items are dropped since the queue was last at work.
  func appendEnd(_ item: Handler.Item, of source: Handler.Source, to handler: Handler) -> Bool {
    let (isFirst, beginsToDrop) = inbox.withLock { inbox in
      let beginsToDrop = inbox.end(item, of: source) && !inbox.hasDropped
      if beginsToDrop { inbox.hasDropped = true }
      defer { inbox.isScheduled = true }
      return (!inbox.isScheduled, beginsToDrop)
    }
    if isFirst { schedule(handler) }
    return beginsToDrop
  }

  private func schedule(_ handler: Handler) {
    queue.async { self.run(handler) }
  }

  private func run(_ handler: Handler) {
    for _ in 0..<Self.runLength {
      if current.isEmpty {
        // Before this block gives up its turn: on a concurrent queue the next one may start at once.
        handler.deliveredRun()
        guard refill() else { return }
      }
      // Each item leaves the list before its callback, so that the list keeps nothing of an app's alive.
      if let item = current.popLast() { handler.deliver(item) }
    }
    handler.deliveredRun()
    schedule(handler)
  }

  /// Takes what has come; false if there was nothing, and then the next item schedules anew.
  private func refill() -> Bool {
    inbox.withLock { inbox in
      swap(&inbox.items, &current)
      inbox.reset()
      inbox.isScheduled = !current.isEmpty
    }
    current.reverse()
    return !current.isEmpty
  }
}
