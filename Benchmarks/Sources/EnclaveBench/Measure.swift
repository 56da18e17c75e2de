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
  case peerRefused(String)
  case ours(String)
}

private func seconds(_ clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// How often `operation` ran in a second of this process's CPU time, that of the system for it included, over at least so
/// many seconds of wall time.
func cpuRate(for duration: Double, _ operation: () throws -> Void) rethrows -> Double {
  let begin = (wall: seconds(CLOCK_MONOTONIC), cpu: seconds(CLOCK_PROCESS_CPUTIME_ID))
  var count = 0
  repeat {
    for _ in 0..<64 { try operation() }
    count += 64
  } while seconds(CLOCK_MONOTONIC) < begin.wall + duration
  return Double(count) / (seconds(CLOCK_PROCESS_CPUTIME_ID) - begin.cpu)
}

/// Alternates both sides in slices of a second, so that both see the same noise, and prints each round's ratio of rates
/// and the median.
func compare(
  _ title: String, to goal: String, _ options: Options, ours: (Double) throws -> Double, peer: (Double) throws -> Double
) rethrows {
  print("\n\(title) (goal: \(goal))")
  let slices = max(1, Int(options.seconds))
  var ratios: [Double] = []
  for round in 1...options.rounds {
    var mine = 0.0
    var other = 0.0
    for _ in 0..<slices {
      mine += try ours(1) / Double(slices)
      other += try peer(1) / Double(slices)
    }
    ratios.append(mine / other)
    print("  round \(round): ours \(text(mine)), peer \(text(other)), ratio \(rounded(mine / other)), load \(load())")
    fflush(nil)
  }
  print("  median of ratios: \(rounded(ratios.sorted()[ratios.count / 2])) x")
}

private func text(_ rate: Double) -> String { "\(Int(rate))/s (\(rounded(1e6 / rate)) us)" }

private func load() -> String {
  var loads = [0.0, 0.0, 0.0]
  getloadavg(&loads, 3)
  return loads.map(rounded).joined(separator: " ")
}

/// Two decimals.
private func rounded(_ number: Double) -> String {
  let hundredths = Int((number * 100).rounded())
  let decimals = hundredths % 100
  return "\(hundredths / 100).\(decimals < 10 ? "0" : "")\(decimals)"
}
