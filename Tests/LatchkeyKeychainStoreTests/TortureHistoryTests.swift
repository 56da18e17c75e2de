import Testing
import keychain_worker

/// The checker of histories, by hand-made ones: it must refuse what no register could have answered.
@Suite("A history of calls on one key") struct TortureHistoryTests {
  private typealias Call = TortureHistory.Call

  private func call(
    _ lane: Int, _ begin: UInt64, _ end: UInt64, _ kind: Call.Kind, _ answer: Call.Answer?
  ) -> Call {
    Call(lane: lane, kind: kind, begin: begin, end: end, answer: answer)
  }

  private func isLinearisable(_ calls: Call..., from value: Int? = nil) -> Bool {
    TortureHistory(calls).isLinearisable(from: value)
  }

  @Test("that is empty or in sequence is linearisable") func sequence() {
    #expect(isLinearisable())
    #expect(
      isLinearisable(
        call(0, 1, 2, .find, .notFound), call(0, 3, 4, .update(9), .notFound), call(0, 5, 6, .delete, .notFound),
        call(0, 7, 8, .add(1), .done), call(0, 9, 10, .add(2), .duplicate), call(0, 11, 12, .find, .found(1)),
        call(0, 13, 14, .update(3), .done), call(0, 15, 16, .find, .found(3)), call(0, 17, 18, .delete, .done),
        call(0, 19, 20, .find, .notFound)))
  }

  @Test("with overlapping calls may have them in any order") func overlap() {
    #expect(isLinearisable(call(0, 1, 10, .add(1), .done), call(1, 2, 3, .find, .notFound)))
    #expect(isLinearisable(call(0, 1, 10, .add(1), .done), call(1, 2, 3, .find, .found(1))))
    #expect(
      isLinearisable(
        call(0, 1, 10, .add(1), .done), call(1, 1, 10, .add(2), .duplicate), call(2, 1, 10, .delete, .done),
        call(3, 1, 10, .find, .found(1))))
  }

  @Test("with a stale read is refused") func staleRead() {
    #expect(!isLinearisable(call(0, 1, 2, .add(1), .done), call(1, 3, 4, .find, .notFound)))
    #expect(
      !isLinearisable(
        call(0, 1, 2, .add(1), .done), call(0, 3, 4, .update(2), .done), call(1, 5, 6, .find, .found(1))))
    // Two reads while an update runs: the first sees it, the second, later, does not.
    #expect(
      !isLinearisable(
        call(0, 1, 20, .update(2), .done), call(1, 2, 3, .find, .found(2)), call(1, 4, 5, .find, .found(1)), from: 1))
    // The same between two processes.
    #expect(
      !isLinearisable(
        call(0, 1, 20, .update(2), .done), call(1, 2, 3, .find, .found(2)), call(2, 4, 5, .find, .found(1)), from: 1))
  }

  @Test("with two adds that both succeeded is refused") func doubleAdd() {
    #expect(!isLinearisable(call(0, 1, 10, .add(1), .done), call(1, 1, 10, .add(2), .done)))
    #expect(
      isLinearisable(
        call(0, 1, 10, .add(1), .done), call(1, 1, 10, .add(2), .done), call(2, 1, 10, .delete, .done)))
  }

  @Test("with a lost update is refused") func lostUpdate() {
    #expect(
      !isLinearisable(
        call(0, 1, 10, .update(2), .done), call(1, 1, 10, .update(3), .done), call(2, 11, 12, .find, .found(1)),
        from: 1))
  }

  @Test("with two deletes of one item is refused") func doubleDelete() {
    #expect(!isLinearisable(call(0, 1, 10, .delete, .done), call(1, 1, 10, .delete, .done), from: 1))
    #expect(isLinearisable(call(0, 1, 10, .delete, .done), call(1, 1, 10, .delete, .notFound), from: 1))
  }

  @Test("with a value that was never written is refused") func inventedValue() {
    #expect(!isLinearisable(call(0, 1, 10, .add(1), .done), call(1, 1, 10, .find, .found(2))))
    #expect(!isLinearisable(call(0, 1, 2, .find, .found(2))))
  }

  @Test("with a duplicate where nothing was, or nothing found where something was, is refused") func wrongErrors() {
    #expect(!isLinearisable(call(0, 1, 2, .add(1), .duplicate)))
    #expect(!isLinearisable(call(0, 1, 2, .update(2), .notFound), from: 1))
    #expect(!isLinearisable(call(0, 1, 2, .delete, .notFound), from: 1))
  }

  @Test("with a call that was never answered may have it or not, but not before it was made") func unanswered() {
    let add = call(0, 5, .max, .add(1), nil)
    #expect(isLinearisable(add, call(1, 6, 7, .find, .found(1))))
    #expect(isLinearisable(add, call(1, 6, 7, .find, .notFound)))
    #expect(isLinearisable(add, call(1, 6, 7, .find, .notFound), call(1, 8, 9, .find, .found(1))))
    #expect(!isLinearisable(add, call(1, 6, 7, .find, .found(1)), call(1, 8, 9, .find, .notFound)))
    #expect(!isLinearisable(add, call(1, 1, 2, .find, .found(1))))
  }

  @Test("of a true register is accepted, and refused once one answer is changed") func random() throws {
    var (refused, changed) = (0, 0)
    for seed in 0..<40 {
      var chance = Chance(seed: UInt64(seed))
      var value: Int?
      var free = [UInt64](repeating: 0, count: 4)
      var calls: [Call] = []
      for instant in 1...120 {
        let lane = Int.random(in: 0..<4, using: &chance)
        let now = 1_000 + UInt64(instant) * 100
        let kind: Call.Kind =
          switch Int.random(in: 0..<5, using: &chance) {
          case 0: .add(instant)
          case 1: .update(instant)
          case 2: .delete
          default: .find
          }
        let begin = max(free[lane], now - UInt64.random(in: 0...150, using: &chance))
        guard begin <= now else { continue }
        let end = now + UInt64.random(in: 0...150, using: &chance)
        free[lane] = end + 1
        let answer: Call.Answer =
          switch (kind, value) {
          case (.add, .some): .duplicate
          case (.find, let found?): .found(found)
          case (.add, nil), (.update, .some), (.delete, .some): .done
          default: .notFound
          }
        switch (kind, answer) {
        case (.add(let new), .done), (.update(let new), .done): value = new
        case (.delete, _): value = nil
        default: break
        }
        calls.append(Call(lane: lane, kind: kind, begin: begin, end: end, answer: answer))
      }
      #expect(TortureHistory(calls).isLinearisable(), "seed \(seed)")
      // A read of what was there four writes ago.
      guard let index = calls.indices.last(where: { calls[$0].kind == .find && calls[$0].answer != .notFound }),
        let old = calls[..<index].compactMap({ if case .found(let value) = $0.answer { value } else { nil } }).first,
        calls[index].answer != .found(old)
      else { continue }
      changed += 1
      calls[index] = Call(
        lane: calls[index].lane, kind: .find, begin: calls[index].begin, end: calls[index].end, answer: .found(old))
      if !TortureHistory(calls).isLinearisable() { refused += 1 }
    }
    #expect(changed > 20 && refused == changed)
  }
}
