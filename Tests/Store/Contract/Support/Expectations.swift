import LatchkeyEnrollmentStore
import LatchkeyLedger
import Testing

// Functions, not Testing's macros. Of two closures of one type in the same closure, one inside a macro's expansion and one
// outside, only one is compiled, and it runs in the place of both (Swift 6.3.1); in a function's own body all is well. Rules
// are closures in closures.

/// Expects a condition.
func expect(
  _ condition: Bool, _ comment: @autoclosure () -> Comment = "", at place: SourceLocation = #_sourceLocation
) {
  if !condition { Issue.record("not so: \(comment())", sourceLocation: place) }
}

/// Expects the body to throw this error.
func expect<E: Error & Equatable>(
  throws error: E, at place: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
  do {
    try await body()
    Issue.record("nothing was thrown in place of \(error)", sourceLocation: place)
  } catch let thrown {
    if thrown as? E != error { Issue.record("\(thrown) was thrown in place of \(error)", sourceLocation: place) }
  }
}

/// Expects the caller's misuse to be refused as such.
func expectMisuse(
  _ what: Comment, at place: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
  do {
    try await body()
    Issue.record("accepted: \(what)", sourceLocation: place)
  } catch EnrollmentStoreError.misuse {
  } catch {
    Issue.record("\(what): \(error)", sourceLocation: place)
  }
}

/// Expects the ledger to have lost and gained nothing.
func expectBalanced(_ store: any EnrollmentStore, at place: SourceLocation = #_sourceLocation) async throws {
  let (sums, wrong) = try await store.read { (try $0.ledgerSums(), try $0.accountsOutOfBalance(limit: 10)) }
  expect(sums.values.allSatisfy { $0 == 0 }, "\(sums)", at: place)
  expect(wrong == [], "\(wrong)", at: place)
}

/// Expects every audit chain to be whole.
func expectWholeChains(
  _ store: any EnrollmentStore, entries: Int64? = nil, at place: SourceLocation = #_sourceLocation
) async throws {
  let reports = try await AuditChain.verify(store, page: 7)
  expect(reports.allSatisfy { $0.fault == nil }, "\(reports)", at: place)
  if let entries { expect(reports.map(\.entries).reduce(0, +) == entries, "\(reports)", at: place) }
}

/// The results of concurrent tasks.
func atOnce<T: Sendable>(
  _ count: Int = 64, _ body: @escaping @Sendable (Int) async throws -> T
) async throws -> [T] {
  try await withThrowingTaskGroup(of: T.self) { group in
    for number in 0..<count { group.addTask { try await body(number) } }
    return try await group.reduce(into: []) { $0.append($1) }
  }
}

/// The error that a body throws on its own.
struct Refusal: Error, Hashable {
  var number = 0
}
