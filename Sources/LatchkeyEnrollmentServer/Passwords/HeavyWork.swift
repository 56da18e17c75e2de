internal import Crypto
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import LatchkeySystem
internal import NIOCore
internal import Synchronization

/// Runs jobs that each take a core, and memory, for some tens of milliseconds: a limited number at once, on separate threads,
/// and more in a queue that is bounded in time. A job that would wait longer is refused at once, since an unbounded queue would
/// serve no client in time.
///
/// There is a queue for each ``Door``, and each has its share of the threads. Within a queue networks take turns, within a
/// network addresses, there users (``FairLine``): a source that floods it waits behind itself, and another source displaces its
/// last job. The capacity of a queue follows from the duration of recent jobs; a job that has nevertheless waited
/// ``longestWait`` is refused when the next thread is free.
package final class HeavyWork: Sendable {
  /// The class of a source: strangers, who may be many, together get a smaller share than the others.
  enum Door: Int, CaseIterable, Sendable {
    /// A user's own device, by its certificate.
    case device
    /// An address from which the user logged in before; also work for a user who is logged in.
    case place
    /// Any other source.
    case stranger

    /// The number of jobs per round while other doors have jobs too.
    fileprivate var share: Int {
      switch self {
      case .device: 4
      case .place: 2
      case .stranger: 1
      }
    }
  }

  /// A source at one level of the queue.
  enum Turn: Hashable, Sendable {
    /// The server itself, which no other source has to wait for.
    case house
    case network(PeerAddress)
    case address(PeerAddress)
    case device(Identifier)
    case user(SHA256.Digest)
  }

  /// The source of a job.
  struct Source: Sendable {
    let door: Door
    /// From the widest to the narrowest; always three, so that all paths have the same length.
    let turns: [Turn]

    init(_ door: Door, _ first: Turn, _ second: Turn = .house, _ third: Turn = .house) {
      self.door = door
      turns = [first, second, third]
    }

    static let house = Source(.place, .house)
  }

  private struct Piece: Sendable {
    let source: Source
    let since: NIODeadline
    let run: @Sendable () -> Void
    let refuse: @Sendable (_ seconds: Int) -> Void
  }

  private struct Line {
    var pieces = FairLine<Turn, Piece>()
    /// The progress of its turn, by its share.
    var credit = 0
  }

  private struct State {
    /// The idle threads.
    var idle: [Int]
    var lines = [Line](repeating: Line(), count: Door.allCases.count)
    /// The duration of a job in seconds, estimated from recent ones.
    var cost = 0.1
  }

  private let state: Mutex<State>
  private let threads: BlockingThreads
  private let longestWait: Double
  private let now: @Sendable () -> NIODeadline

  /// The minimum capacity of a queue, however long a job takes; ``longestWait`` applies to these jobs, too.
  static let shortestLine = 4
  private static let longestLine = 1024

  /// - Parameter longestWait: the longest wait of a job, in seconds.
  init(
    label: String, atOnce: Int, longestWait: Double = 1, now: @escaping @Sendable () -> NIODeadline = { .now() }
  ) {
    threads = BlockingThreads(label: label, width: atOnce)
    self.longestWait = longestWait
    self.now = now
    state = Mutex(State(idle: Array(0..<threads.width)))
  }

  /// Runs `body` when its turn comes.
  ///
  /// - Throws: errors of `body`; ``TryLater`` if it would wait, or has waited, too long.
  func run<T: Sendable>(
    for source: Source = .house, _ body: @escaping @Sendable () throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { caller in
      take(
        Piece(
          source: source, since: now(), run: { caller.resume(with: Result(catching: body)) },
          refuse: { seconds in
            caller.resume(
              throwing: TryLater(.tooManyRequests, seconds: seconds, detail: "too many log in at once; try again"))
          }))
    }
  }

  /// The number of queued jobs, at all doors.
  var waiting: Int { state.withLock { $0.lines.map(\.pieces.count).reduce(0, +) } }

  private func take(_ piece: Piece) {
    let (thread, refused, seconds): (Int?, [Piece], Int) = state.withLock { state in
      if let thread = state.idle.popLast() { return (thread, [], 0) }
      let refused = append(piece, to: &state)
      return (nil, refused, timeToServe(state))
    }
    if let thread { threads.perform(on: thread) { self.work(piece, on: thread) } }
    for piece in refused { piece.refuse(seconds) }
  }

  /// - Returns: the jobs without a place: this one, or one of a source that has more.
  private func append(_ piece: Piece, to state: inout State) -> [Piece] {
    let door = piece.source.door
    state.lines[door.rawValue].pieces.append(piece, of: piece.source.turns)
    let limit = places(at: door, in: state)
    var refused: [Piece] = []
    while state.lines[door.rawValue].pieces.count > limit,
      let last = state.lines[door.rawValue].pieces.dropLast(newest: piece.source.turns)
    { refused.append(last) }
    return refused
  }

  /// The number of jobs that a door serves within ``longestWait``.
  private func places(at door: Door, in state: State) -> Int {
    let shares = Door.allCases.filter { state.lines[$0.rawValue].pieces.count > 0 }.map(\.share).reduce(0, +)
    let all = longestWait / max(state.cost, 0.000_1) * Double(threads.width)
    return max(Self.shortestLine, Int(min(all * Double(door.share) / Double(max(1, shares)), Double(Self.longestLine))))
  }

  /// The time until all queued jobs have been served.
  private func timeToServe(_ state: State) -> Int {
    let count = state.lines.map(\.pieces.count).reduce(0, +)
    return Int((Double(count) * state.cost / Double(threads.width)).rounded(.up))
  }

  private func work(_ first: Piece, on thread: Int) {
    var piece: Piece? = first
    while let current = piece {
      let began = now()
      current.run()
      piece = next(on: thread, after: now() - began)
    }
  }

  /// - Parameter took: the duration of the last job by the clock, which the queued jobs have waited.
  private func next(on thread: Int, after took: TimeAmount) -> Piece? {
    let now = now()
    let (next, late, seconds): (Piece?, [Piece], Int) = state.withLock { state in
      // Weighted by a quarter, since a single job may have been delayed by the machine.
      state.cost += (min(10, max(0, Double(took.nanoseconds) / 1e9)) - state.cost) / 4
      var late: [Piece] = []
      for door in Door.allCases {
        late += state.lines[door.rawValue].pieces.removeAll { now - $0.since >= TimeAmount(longestWait) }
      }
      let next = Self.next(in: &state.lines)
      if next == nil { state.idle.append(thread) }
      return (next, late, timeToServe(state))
    }
    for piece in late { piece.refuse(seconds) }
    return next
  }

  /// Among the doors with jobs, the one furthest behind its share.
  private static func next(in lines: inout [Line]) -> Piece? {
    let open = Door.allCases.filter { lines[$0.rawValue].pieces.count > 0 }
    for door in open { lines[door.rawValue].credit += door.share }
    guard let door = open.max(by: { lines[$0.rawValue].credit < lines[$1.rawValue].credit }) else { return nil }
    lines[door.rawValue].credit -= open.map(\.share).reduce(0, +)
    let piece = lines[door.rawValue].pieces.next()
    if lines[door.rawValue].pieces.count == 0 { lines[door.rawValue].credit = 0 }
    return piece
  }
}
