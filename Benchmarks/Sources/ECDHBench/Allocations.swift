import CBenchCrypto

/// Counts calls of malloc and related functions during one ECDH, after a check of the counter.
enum Allocations {
  static func report(_ pair: Pair) throws {
    let known = [1, 2, 3].map { size in during { blackHole([UInt8](repeating: 0, count: 100 * size)) } }
    guard known == [1, 1, 1] else { throw BenchFailure.nothingCounted }
    let theirs = try during { try pair.theirs() }
    // The first call may set something up; it is counted on its own.
    let first = try during { try pair.ours() }
    let thousand = try during { for _ in 0..<1000 { try pair.ours() } }
    print(
      "  heap allocations: \(known[0]) in one array of bytes (the counter counts), \(theirs) in one ECDH of libcrypto's,"
    )
    print("    \(first) in one of ours, \(thousand) in 1000 of ours")
  }

  private static func during(_ body: () throws -> Void) rethrows -> UInt64 {
    let before = bench_allocations()
    try body()
    return bench_allocations() - before
  }
}
