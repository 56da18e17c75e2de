/// What several processes did to one key, and whether a single register could have answered them all (linearisability:
/// Herlihy and Wing 1990; the search is Wing and Gong's of 1993 with Lowe's memory of states already seen).
struct TortureHistory {
  /// One call. Those of one lane do not overlap.
  struct Call: Equatable {
    enum Kind: Equatable {
      case add(Int)
      case update(Int)
      case delete
      case find
    }
    enum Answer: Equatable {
      case done
      case duplicate
      case notFound
      case found(Int)
    }

    let lane: Int
    let kind: Kind
    /// When it was made; its time is at or after this.
    let begin: UInt64
    /// When it was answered; `.max` for one that never was, which may or may not have happened.
    let end: UInt64
    /// Nil for a call that was never answered.
    let answer: Answer?

    /// What a register that holds `value` holds after this call, if it answers as this call was answered.
    func apply(to value: Int?) -> (isPossible: Bool, after: Int?) {
      let (honest, after): (Answer, Int?) =
        switch (kind, value) {
        case (.add(let new), nil): (.done, new)
        case (.add, _): (.duplicate, value)
        case (.update(let new), .some): (.done, new)
        case (.delete, .some): (.done, nil)
        case (.find, let found?): (.found(found), value)
        case (.update, nil), (.delete, nil), (.find, nil): (.notFound, nil)
        }
      return (answer == nil || answer == honest, after)
    }
  }

  /// By lane, each in the order of its calls.
  private let lanes: [[Call]]

  init(_ calls: [Call]) {
    lanes = Dictionary(grouping: calls, by: \.lane).values.map { $0.sorted { $0.begin < $1.begin } }
  }

  /// Whether there is an order of these calls, true to their times, in which each was answered as a register would,
  /// starting from `value`.
  func isLinearisable(from value: Int? = nil) -> Bool {
    var seen: Set<State> = []
    var open = [State(next: lanes.map { _ in 0 }, value: value)]
    while let state = open.popLast() {
      if isOver(state) { return true }
      let next = zip(lanes, state.next).map { lane, index in index < lane.count ? lane[index] : nil }
      // A call comes first only if no other was answered before it was made.
      let firstAnswer = next.reduce(UInt64.max) { min($0, $1?.end ?? .max) }
      for (lane, call) in next.enumerated() {
        guard let call, call.begin <= firstAnswer else { continue }
        let (isPossible, after) = call.apply(to: state.value)
        guard isPossible else { continue }
        var following = state
        following.next[lane] += 1
        following.value = after
        if seen.insert(following).inserted { open.append(following) }
      }
    }
    return false
  }

  /// How far each lane has come, and what the register holds: all that decides what may follow.
  private struct State: Hashable {
    var next: [Int]
    var value: Int?
  }

  /// Whether nothing is left but calls that may never have happened.
  private func isOver(_ state: State) -> Bool {
    zip(lanes, state.next).allSatisfy { lane, next in lane[next...].allSatisfy { $0.answer == nil } }
  }
}
