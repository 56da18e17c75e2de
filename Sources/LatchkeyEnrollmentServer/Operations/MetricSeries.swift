internal import Metrics
internal import Synchronization

/// A metric's name with its labels, and its value.
final class Series: Sendable {
  enum Kind: String, Sendable { case counter, gauge, histogram }

  /// A name in Prometheus syntax, and its labels by name.
  struct Name: Hashable, Comparable, Sendable {
    let label: String
    /// `route="/v1/login",status="200"`, escaped; empty without labels.
    let labels: String

    init(_ label: String, _ dimensions: [(String, String)]) {
      self.label = Self.allowed(label)
      labels = dimensions.sorted { $0.0 < $1.0 }
        .map { "\(Self.allowed($0.0))=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
    }

    static func < (a: Name, b: Name) -> Bool { (a.label, a.labels) < (b.label, b.labels) }

    private static func allowed(_ name: String) -> String {
      String(
        name.unicodeScalars.map {
          $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) ? Character($0) : "_"
        })
    }

    private static func escaped(_ value: String) -> String {
      var escaped = ""
      for character in value.unicodeScalars.prefix(128) {
        switch character {
        case "\\": escaped += "\\\\"
        case "\"": escaped += "\\\""
        case "\n": escaped += "\\n"
        default: escaped.unicodeScalars.append(character)
        }
      }
      return escaped
    }
  }

  /// The upper bounds of a histogram's buckets.
  private static let bounds: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

  private struct Values {
    var count: Int64 = 0
    var value = 0.0
    var buckets: [Int64] = []
  }

  let kind: Kind
  private let values: Mutex<Values>

  init(_ kind: Kind) {
    self.kind = kind
    values = Mutex(Values(buckets: kind == .histogram ? Array(repeating: 0, count: Self.bounds.count) : []))
  }

  /// A series that is not exported.
  static func nowhere(_ kind: Kind) -> Series { Series(kind) }

  func write(as name: Name, to text: inout String) {
    let values = values.withLock { $0 }
    func line(_ suffix: String, _ extra: String, _ value: String) {
      let labels = [name.labels, extra].filter { !$0.isEmpty }.joined(separator: ",")
      text += "\(name.label)\(suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
    }
    switch kind {
    case .counter: line("", "", "\(values.count)")
    case .gauge: line("", "", "\(values.value)")
    case .histogram:
      var below: Int64 = 0
      for (bound, count) in zip(Self.bounds, values.buckets) {
        below += count
        line("_bucket", "le=\"\(bound)\"", "\(below)")
      }
      line("_bucket", "le=\"+Inf\"", "\(values.count)")
      line("_sum", "", "\(values.value)")
      line("_count", "", "\(values.count)")
    }
  }

  fileprivate func observe(_ value: Double) {
    guard value.isFinite else { return }
    values.withLock {
      $0.count += 1
      $0.value = kind == .gauge ? value : $0.value + value
      if let bucket = Self.bounds.firstIndex(where: { value <= $0 }), kind == .histogram { $0.buckets[bucket] += 1 }
    }
  }
}

extension Series: CounterHandler {
  func increment(by amount: Int64) {
    values.withLock {
      let (sum, isOver) = $0.count.addingReportingOverflow(max(0, amount))
      $0.count = isOver ? 0 : sum
    }
  }

  func reset() { values.withLock { $0.count = 0 } }
}

extension Series: RecorderHandler {
  func record(_ value: Int64) { observe(Double(value)) }
  func record(_ value: Double) { observe(value) }
}

extension Series: TimerHandler {
  func recordNanoseconds(_ duration: Int64) { observe(Double(duration) / 1e9) }
}

extension Series: MeterHandler {
  func set(_ value: Int64) { observe(Double(value)) }
  func set(_ value: Double) { observe(value) }
  func increment(by amount: Double) { values.withLock { $0.value += amount } }
  func decrement(by amount: Double) { values.withLock { $0.value -= amount } }
}
