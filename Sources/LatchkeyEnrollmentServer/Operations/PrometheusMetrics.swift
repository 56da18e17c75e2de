public import Metrics
internal import Synchronization

/// In-process metrics, exported in Prometheus' text format 0.0.4: a backend of swift-metrics.
///
/// It is passed explicitly to its users; nothing process-wide is set. The number of series is bounded: a label with external
/// values cannot exhaust the memory.
public final class PrometheusMetrics: MetricsFactory, Sendable {
  private struct State {
    var series: [Series.Name: Series] = [:]
    var dropped = 0
  }

  private let state = Mutex(State())
  private let limit: Int
  /// The labels of all series.
  private let labels: [(String, String)]

  /// Creates metrics of at most `limit` series; further ones are dropped and only counted in `latchkey_metrics_dropped_series`.
  ///
  /// - Parameter labels: labels that all series have, by name and value.
  public init(limit: Int = 2048, labels: [(String, String)] = []) { (self.limit, self.labels) = (limit, labels) }

  // MARK: swift-metrics

  /// A counter, which only increases.
  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(label, dimensions, .counter) ?? Series.nowhere(.counter)
  }

  /// A counter of fractions, stored in millionths.
  public func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    FractionCounter(series: series(label, dimensions, .counter) ?? Series.nowhere(.counter))
  }

  /// A gauge.
  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(label, dimensions, .gauge) ?? Series.nowhere(.gauge)
  }

  /// A histogram of values, or the last value if they are not to be aggregated.
  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    let kind = aggregate ? Series.Kind.histogram : .gauge
    return series(label, dimensions, kind) ?? Series.nowhere(kind)
  }

  /// A histogram of durations in seconds.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series(label, dimensions, .histogram) ?? Series.nowhere(.histogram)
  }

  /// Does nothing: a counter that disappears would look like a restart.
  public func destroyCounter(_ handler: any CounterHandler) {}
  /// Does nothing.
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  /// Does nothing.
  public func destroyMeter(_ handler: any MeterHandler) {}
  /// Does nothing.
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  /// Does nothing.
  public func destroyTimer(_ handler: any TimerHandler) {}

  private func series(_ label: String, _ dimensions: [(String, String)], _ kind: Series.Kind) -> Series? {
    let name = Series.Name(label, dimensions + labels)
    return state.withLock {
      if let known = $0.series[name] { return known.kind == kind ? known : nil }
      guard $0.series.count < limit else {
        $0.dropped += 1
        return nil
      }
      let new = Series(kind)
      $0.series[name] = new
      return new
    }
  }

  // MARK: Text

  /// The media type of ``text``.
  public static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  /// All series, sorted by name and labels.
  public var text: String { seriesText + line("latchkey_metrics_dropped_series", "\(state.withLock { $0.dropped })") }

  /// ``text`` without the number of dropped series, to stand beside that of other metrics.
  var seriesText: String {
    let series = state.withLock { $0.series }
    var text = ""
    var family = ""
    for (name, values) in series.sorted(by: { $0.key < $1.key }) {
      if name.label != family {
        family = name.label
        if let help = MetricHelp.text(of: family) { text += "# HELP \(family) \(help)\n" }
        text += "# TYPE \(family) \(values.kind)\n"
      }
      values.write(as: name, to: &text)
    }
    return text
  }
}

extension PrometheusMetrics {
  /// A family of one gauge, with the labels of all series.
  func line(_ name: String, _ value: String) -> String {
    let labels = Series.Name(name, labels).labels
    return ProcessMetrics.line(name, "gauge", value, labels: labels.isEmpty ? "" : "{\(labels)}")
  }
}

/// Counts fractions in millionths.
private final class FractionCounter: FloatingPointCounterHandler, Sendable {
  private let series: Series

  init(series: Series) { self.series = series }

  func increment(by amount: Double) {
    guard amount.isFinite, amount >= 0 else { return }
    series.increment(by: Int64(min(amount * 1e6, 1e15)))
  }

  func reset() { series.reset() }
}
