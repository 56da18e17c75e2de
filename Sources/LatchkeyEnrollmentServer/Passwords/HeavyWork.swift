internal import Crypto
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import LatchkeySystem
internal import NIOCore
internal import Synchronization

/// Work that takes a core, and memory, for some tens of milliseconds: so many pieces at once, on threads of their own, some more in
/// a line that is bounded in time. A request that would wait longer is refused at once, since an endless line would serve no request in time.
///
/// There is a line for each ``Door``, and each has its share of the threads. In a line each network has its turn, in a network
/// each address, there each user (``FairLine``): anyone who floods it waits for themselves, and who comes from elsewhere takes the
/// place of their last piece. How many pieces a line holds follows from what the last ones took; a piece that has waited
/// ``longestWait`` all the same is sent away when the next thread is free.
package final class HeavyWork: Sendable {
  /// What is known of anyone who wants something: strangers, who may be many, take a share alone of what the others have.
  enum Door: Int, CaseIterable, Sendable {
    /// A user's own device, by its certificate.
    case device
    /// An address from which the user logged in before; also work for a user who is logged in.
    case place
    /// Everybody else.
    case stranger

    /// Pieces in turn while others wait at all doors.
    fileprivate var share: Int {
      switch self {
      case .device: 4
      case .place: 2
      case .stranger: 1
      }
    }
  }

  /// Who has a turn in a line.
  enum Turn: Hashable, Sendable {
    /// Nobody whom others would have to wait for.
    case house
    case network(PeerAddress)
    case address(PeerAddress)
    case device(Identifier)
    case user(SHA256.Digest)
  }

  /// Whose work a piece is.
  struct Source: Sendable {
    let door: Door
    /// From the widest to the narrowest; three, so that all are equally long.
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
    /// How far its turn has come, by its share.
    var credit = 0
  }

  private struct State {
    /// Threads that have nothing to do.
    var idle: [Int]
    var lines = [Line](repeating: Line(), count: Door.allCases.count)
    /// Seconds that a piece takes, by the last ones.
    var cost = 0.1
  }

  private let state: Mutex<State>
  private let threads: BlockingThreads
  private let longestWait: Double
  private let now: @Sendable () -> NIODeadline

  /// So few may wait at a door however long a piece takes: ``longestWait`` holds for them, too.
  static let shortestLine = 4
  private static let longestLine = 1024

  /// - Parameter longestWait: seconds that a piece waits for its turn.
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
  /// - Throws: what `body` throws; ``TryLater`` where it would wait, or has waited, too long.
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

  /// Pieces that wait, at all doors.
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

  /// - Returns: what there is no place for: the piece itself, or one of a source that has more.
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

  /// How many pieces get their turn at a door within ``longestWait``.
  private func places(at door: Door, in state: State) -> Int {
    let shares = Door.allCases.filter { state.lines[$0.rawValue].pieces.count > 0 }.map(\.share).reduce(0, +)
    let all = longestWait / max(state.cost, 0.000_1) * Double(threads.width)
    return max(Self.shortestLine, Int(min(all * Double(door.share) / Double(max(1, shares)), Double(Self.longestLine))))
  }

  /// Until all that wait now have had their turn.
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

  /// - Parameter took: what the last piece took by the clock, which is what those behind it have waited.
  private func next(on thread: Int, after took: TimeAmount) -> Piece? {
    let now = now()
    let (next, late, seconds): (Piece?, [Piece], Int) = state.withLock { state in
      // A quarter of the news: one piece that the machine held up is no measure.
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

  /// Of the doors where somebody waits, the one that is furthest behind its share.
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
