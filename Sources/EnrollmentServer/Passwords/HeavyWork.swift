internal import EnrollmentProtocol
internal import EnrollmentStore
internal import Synchronization

/// Work that takes a core, and memory, for some tens of milliseconds: so many pieces at once, on threads of their own, some more in
/// a line; who comes then is sent away, since an endless line would serve nobody.
///
/// In the line each source has its turn (``FairLine``), so that whoever floods it waits for themselves; and those who are known to
/// be who they say, by a device's certificate or an earlier login from the same address, are before all others.
package final class HeavyWork: Sendable {
  /// Whose work it is.
  enum Source: Hashable, Sendable {
    /// Nobody's whom others would have to wait for.
    case house
    case address(PeerAddress)
    case device(Identifier)
  }

  private struct Piece: Sendable {
    let run: @Sendable () -> Void
    let refuse: @Sendable () -> Void
  }

  private struct State {
    /// Threads that have nothing to do.
    var idle: [Int]
    var known: FairLine<Source, Piece>
    var others: FairLine<Source, Piece>
  }

  private let state: Mutex<State>
  private let threads: OwnThreads

  /// - Parameter longestLine: pieces that wait, of those who are known and of others each; of one source a quarter.
  init(label: String, atOnce: Int, longestLine: Int) {
    threads = OwnThreads(label: label, count: atOnce)
    let line = FairLine<Source, Piece>(longest: max(0, longestLine), longestOfOne: max(1, longestLine / 4))
    state = Mutex(State(idle: Array(0..<threads.count), known: line, others: line))
  }

  /// Runs `body` when its turn comes.
  ///
  /// - Throws: what `body` throws; ``TryLater`` where the line is full.
  func run<T: Sendable>(
    for source: Source = .house, isKnown: Bool = false, _ body: @escaping @Sendable () throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { caller in
      take(
        Piece(
          run: { caller.resume(with: Result(catching: body)) },
          refuse: {
            caller.resume(
              throwing: TryLater(.tooManyRequests, seconds: 2, detail: "too many log in at once; try again"))
          }),
        source, isKnown: isKnown)
    }
  }

  private enum Place {
    case thread(Int)
    case line(displaced: Piece?)
    case none
  }

  private func take(_ piece: Piece, _ source: Source, isKnown: Bool) {
    let place: Place = state.withLock { state in
      if let thread = state.idle.popLast() { return .thread(thread) }
      let (isTaken, displaced) =
        isKnown ? state.known.append(piece, of: source) : state.others.append(piece, of: source)
      return isTaken ? .line(displaced: displaced) : .none
    }
    switch place {
    case .thread(let thread): threads.run(on: thread) { self.work(piece, on: thread) }
    case .line(let displaced): displaced?.refuse()
    case .none: piece.refuse()
    }
  }

  private func work(_ first: Piece, on thread: Int) {
    first.run()
    while let next = next(on: thread) { next.run() }
  }

  private func next(on thread: Int) -> Piece? {
    state.withLock { state in
      if let next = state.known.next() ?? state.others.next() { return next }
      state.idle.append(thread)
      return nil
    }
  }
}
