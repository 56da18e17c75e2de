import Glibc

/// How long and how often.
struct Options {
  var rounds = 5
  var seconds = 5.0
  var figures: [String] = []

  init(_ arguments: ArraySlice<String>) throws {
    var rest = arguments
    while let argument = rest.popFirst() {
      switch argument {
      case "--rounds": rounds = max(1, Int(try Self.number(&rest)))
      case "--seconds": seconds = try Self.number(&rest)
      default: figures.append(argument)
      }
    }
  }

  private static func number(_ rest: inout ArraySlice<String>) throws -> Double {
    guard let value = rest.popFirst().flatMap(Double.init), value > 0 else { throw BenchFailure.usage }
    return value
  }
}

enum BenchFailure: Error {
  case usage
  case unknownFigure(String)
  case peerRefused
  case wrongResult(String)
}

/// Seconds of the clock that no one sets.
func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// How often a second `operation` ran, over at least so many seconds of wall time.
func rate(for seconds: Double, every batch: Int = 16, _ operation: () throws -> Void) rethrows -> Double {
  let start = monotonicSeconds()
  var now = start
  var count = 0
  while now < start + seconds {
    for _ in 0..<batch { try operation() }
    count += batch
    now = monotonicSeconds()
  }
  return Double(count) / (now - start)
}

/// Alternates both sides in slices of a fraction of a second, so that both see the same noise, and prints each round's
/// ratio of rates and the median.
@discardableResult
func compare(
  _ title: String, to goal: String, _ options: Options, ours: (Double) throws -> Double, peer: (Double) throws -> Double
) rethrows -> Double {
  print("\n\(title) (to reach: \(goal))")
  let slices = max(1, Int(options.seconds / 0.5))
  let slice = options.seconds / Double(slices)
  var ratios: [Double] = []
  for round in 1...options.rounds {
    var mine = 0.0
    var other = 0.0
    for _ in 0..<slices {
      mine += try ours(slice) / Double(slices)
      other += try peer(slice) / Double(slices)
    }
    ratios.append(mine / other)
    print("  round \(round): ours \(text(mine)), peer \(text(other)), ratio \(rounded(mine / other)), load \(load())")
    fflush(nil)
  }
  let median = ratios.sorted()[ratios.count / 2]
  print("  median of ratios: \(rounded(median)) x")
  return median
}

func text(_ rate: Double) -> String { "\(Int(rate))/s (\(rounded(1e6 / rate)) us)" }

func load() -> String {
  var loads = [0.0, 0.0, 0.0]
  getloadavg(&loads, 3)
  return loads.map(rounded).joined(separator: " ")
}

/// Two decimals.
func rounded(_ number: Double) -> String {
  let hundredths = Int((abs(number) * 100).rounded())
  let decimals = hundredths % 100
  return "\(number < 0 ? "-" : "")\(hundredths / 100).\(decimals < 10 ? "0" : "")\(decimals)"
}
