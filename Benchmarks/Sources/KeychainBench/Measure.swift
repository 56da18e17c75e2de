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

/// Seconds of CPU time that all threads of this process have used, that of the system for them included.
func cpuSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// How fast something ran.
struct Pace {
  /// How often in a second of wall time.
  var rate: Double
  /// The CPU time of each, in seconds.
  var cpu: Double

  /// The mean of paces that were measured for the same time each.
  init(_ paces: [Pace]) {
    rate = paces.map(\.rate).reduce(0, +) / Double(paces.count)
    cpu = paces.map(\.cpu).reduce(0, +) / Double(paces.count)
  }

  /// The pace of `body`, which returns the number of its operations.
  init(of body: () throws -> Int) rethrows {
    let begin = (wall: monotonicSeconds(), cpu: cpuSeconds())
    let count = Double(max(1, try body()))
    rate = count / (monotonicSeconds() - begin.wall)
    cpu = (cpuSeconds() - begin.cpu) / count
  }
}

/// The pace of `operation` over at least so many seconds of wall time.
func pace(for seconds: Double, every batch: Int = 16, _ operation: () throws -> Void) rethrows -> Pace {
  try Pace {
    let end = monotonicSeconds() + seconds
    var count = 0
    repeat {
      for _ in 0..<batch { try operation() }
      count += batch
    } while monotonicSeconds() < end
    return count
  }
}

/// How often a second `operation` ran, over at least so many seconds of wall time.
func rate(for seconds: Double, _ operation: () throws -> Void) rethrows -> Double {
  try pace(for: seconds, operation).rate
}

/// Alternates both sides in slices of a fraction of a second, so that both see the same noise, and prints each round's
/// ratios and their medians: of the rates in wall time, and of the CPU time of each operation. The disk's share is
/// in the first one alone.
func compare(
  _ title: String, to goal: String, _ options: Options, ours: (Double) throws -> Pace, peer: (Double) throws -> Pace
) rethrows {
  print("\n\(title) (goal: \(goal))")
  let slices = max(1, Int(options.seconds / 0.5))
  let slice = options.seconds / Double(slices)
  var ratios: [Double] = []
  var cpuRatios: [Double] = []
  for round in 1...options.rounds {
    var paces: (ours: [Pace], peer: [Pace]) = ([], [])
    for _ in 0..<slices {
      paces.ours.append(try ours(slice))
      paces.peer.append(try peer(slice))
    }
    let (mine, other) = (Pace(paces.ours), Pace(paces.peer))
    ratios.append(mine.rate / other.rate)
    cpuRatios.append(other.cpu / mine.cpu)
    print(
      "  round \(round): ours \(text(mine)), peer \(text(other)), ratio \(rounded(mine.rate / other.rate)), by CPU",
      "\(rounded(other.cpu / mine.cpu)), load \(load())")
    fflush(nil)
  }
  print("  median of ratios: \(rounded(median(ratios))) x; by CPU time \(rounded(median(cpuRatios))) x")
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

private func text(_ pace: Pace) -> String {
  "\(Int(pace.rate))/s (\(rounded(1e6 / pace.rate)) us, CPU \(rounded(pace.cpu * 1e6)) us)"
}

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
