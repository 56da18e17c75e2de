import Dispatch
import LatchkeyBluetoothTransports

/// Makes a manager's callbacks from items, one after the other, on the manager's queue.
protocol CallbackHandler: AnyObject, Sendable {
  associatedtype Item
  /// Identifies items of which only the last one matters, such as the states of one object.
  associatedtype Subject: Hashable = Never
  /// A source of items that can end, such as a link.
  associatedtype Source: Hashable = Never

  /// The source of an item, if it is one that can end.
  static func source(of item: Item) -> Source?

  /// Makes the callbacks of one item.
  func deliver(_ item: consuming Item)

  /// Called after a run of items; more may follow.
  func deliveredRun()
}

extension CallbackHandler where Source == Never {
  static func source(of item: Item) -> Source? { nil }
}

/// Delivers items in order on a dispatch queue.
///
/// Items that arrive close together share one block on the queue: at high rates its cost would be most of a callback's.
/// A block delivers at most `runLength` items and then enqueues itself again, so that a main queue stays responsive.
///
/// Items that a peer can cause without end have a subject. While the app is busy, the first and the last item of a
/// subject wait, in the places of the first and the second. When `subjectCapacity` subjects wait, items that may be
/// dropped are. Items of a source wait after its end, too. When `endedCapacity` items of ended sources wait, those of
/// the next ended one are dropped. Unchecked: `current` belongs to the one block that is queued or running, and
/// `isScheduled` records that there is one.
final class CallbackQueue<Handler: CallbackHandler>: @unchecked Sendable {
  private typealias Inbox = CallbackInbox<Handler>

  private let queue: DispatchQueue
  /// Counts the blocks, on a radio of tests.
  private let activity: RadioActivity?
  /// The controller of managers that callbacks make without naming one; nil for the usual one.
  private let inherited: String?
  private let inbox = Locked(Inbox())
  /// Removed from the inbox, last one first.
  private var current: [Handler.Item] = []

  private static var runLength: Int { 64 }
  /// How many subjects may have waiting items; those of others are dropped.
  static var subjectCapacity: Int { 1024 }
  /// How many items of ended sources may wait.
  static var endedCapacity: Int { 1024 }

  /// A queue that delivers nothing until `start(_:)`.
  init(_ queue: DispatchQueue, activity: RadioActivity? = nil, inheriting controller: String? = nil) {
    self.queue = queue
    self.activity = activity
    inherited = controller
    activity?.add(queue, of: self, on: controller ?? "")
  }

  deinit { activity?.removeQueue(of: ObjectIdentifier(self), on: inherited ?? "") }

  /// Starts delivery. The handler lives at least until the items so far are delivered.
  func start(_ handler: Handler) { schedule(handler) }

  /// Adds an item; any thread may call this, with any lock held but the inbox's own.
  func append(_ item: Handler.Item, to handler: Handler) {
    let isFirst = inbox.withLock { inbox in
      inbox.items.append(item)
      defer { inbox.isScheduled = true }
      return !inbox.isScheduled
    }
    if isFirst { schedule(handler) }
  }

  /// Adds an item that may replace an earlier one of its subject; or, if it `mayDrop`, that is dropped when too many
  /// wait.
  func append(_ item: Handler.Item, of subject: Handler.Subject, mayDrop: Bool = false, to handler: Handler) {
    let isFirst = inbox.withLock { inbox in
      guard inbox.add(item, of: subject, mayDrop: mayDrop) else { return false }
      defer { inbox.isScheduled = true }
      return !inbox.isScheduled
    }
    if isFirst { schedule(handler) }
  }

  /// Records that a source is about to cause its first item.
  func begin(_ source: Handler.Source) { inbox.withLock { _ = $0.begun.insert(source) } }

  /// Adds the last item of a source. When too many items of ended sources wait, this source's items are dropped
  /// instead; and the last one too, unless earlier ones were delivered.
  ///
  /// - Returns: whether this is the first source with dropped items since the queue last delivered.
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
    guard let activity else { return queue.async { self.run(handler) } }
    activity.async(on: queue, of: inherited ?? "") {
      DefaultController.$current.withValue(self.inherited) { self.run(handler) }
    }
  }

  private func run(_ handler: Handler) {
    for _ in 0..<Self.runLength {
      if current.isEmpty {
        // Before this block can be followed by the next: on a concurrent queue that one may start at once.
        handler.deliveredRun()
        guard refill() else { return }
      }
      // Each item leaves the list before its callback, so that the list does not retain the app's objects.
      if let item = current.popLast() { handler.deliver(item) }
    }
    handler.deliveredRun()
    schedule(handler)
  }

  /// Removes the waiting items from the inbox. Returns false if there were none; then the next item schedules a block.
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
