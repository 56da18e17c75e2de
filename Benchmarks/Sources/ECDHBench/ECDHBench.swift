import CBenchCrypto
import Glibc
import LatchkeyProvisioningProtocol

/// `ecdh-bench [--seconds S] [--rounds N]`: secp192k1 ECDH, ours against libcrypto's, in CPU time on one core.
///
/// Ours reads the peer's 48 bytes, validates them and multiplies; libcrypto's `EC_KEY` and `EC_POINT` are ready, and
/// `ECDH_compute_key` alone is measured. Before that both sides must compute the same secret.
@main struct ECDHBench {
  static func main() throws {
    let options = try Options(CommandLine.arguments.dropFirst())
    let pair = try Pair()
    print("\(pair.version), \(options.rounds) rounds of \(options.seconds) s a side, CPU time")
    try pair.check()
    try compare("ECDH", options, ours: { try pair.ours() }, theirs: { try pair.theirs() })
    try compare(
      "key pair", Options(rounds: options.rounds, seconds: min(1, options.seconds)),
      ours: {
        blackHole(try Pair.newPublicKey())
      }, theirs: { try Pair.newPublicKeyOfTheirs() })
    try Allocations.report(pair)
    try TimingLeak.report()
  }

  /// Alternates both sides and prints each round's ratio, and their median.
  private static func compare(
    _ name: String, _ options: Options, ours: () throws -> Void, theirs: () throws -> Void
  ) throws {
    var ratios: [Double] = []
    for round in 1...options.rounds {
      let mine = try cpuMicroseconds(options.seconds, ours)
      let other = try cpuMicroseconds(options.seconds, theirs)
      ratios.append(other / mine)
      print(
        "  \(name) round \(round): ours \(rate(mine)), libcrypto \(rate(other)),",
        "ratio \(rounded(other / mine)), load \(load())")
      fflush(nil)
    }
    print("  \(name): median of ratios \(rounded(ratios.sorted()[ratios.count / 2])) x")
  }

  /// The CPU time of one operation, over at least so many seconds of it.
  private static func cpuMicroseconds(_ seconds: Double, _ operation: () throws -> Void) throws -> Double {
    let start = bench_cpu_nanoseconds()
    let end = start + UInt64(seconds * 1e9)
    var count = 0
    var now = start
    while now < end {
      for _ in 0..<64 { try operation() }
      count += 64
      now = bench_cpu_nanoseconds()
    }
    return Double(now - start) / 1000 / Double(count)
  }

  private static func rate(_ microseconds: Double) -> String {
    "\(Int(1e6 / microseconds))/s (\(rounded(microseconds)) us)"
  }

  private static func load() -> String {
    var loads = [0.0, 0.0, 0.0]
    getloadavg(&loads, 3)
    return loads.map(rounded).joined(separator: " ")
  }
}

/// How long and how often.
struct Options {
  var rounds = 5
  var seconds = 5.0

  init(rounds: Int, seconds: Double) {
    self.rounds = rounds
    self.seconds = seconds
  }

  init(_ arguments: ArraySlice<String>) throws {
    var rest = arguments
    while let name = rest.popFirst() {
      guard let value = rest.popFirst().flatMap(Double.init), value > 0 else { throw BenchFailure.usage }
      switch name {
      case "--rounds": rounds = max(1, Int(value))
      case "--seconds": seconds = value
      default: throw BenchFailure.usage
      }
    }
  }
}

enum BenchFailure: Error {
  case usage
  case libcryptoRefused
  case secretsDiffer
  case nothingCounted
}

/// Two decimals.
func rounded(_ number: Double) -> String {
  let hundredths = Int((abs(number) * 100).rounded())
  let decimals = hundredths % 100
  return "\(number < 0 ? "-" : "")\(hundredths / 100).\(decimals < 10 ? "0" : "")\(decimals)"
}

/// Keeps the optimizer from finding a result useless.
@inline(never) @_optimize(none)
func blackHole<Value: ~Copyable>(_ value: borrowing Value) {}
