import LatchkeyServerTestSupport
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import Metrics
import Testing

@Suite("Metrics")
struct PrometheusMetricsTests {
  @Test("Counters, gauges and histograms are written as Prometheus reads them")
  func text() {
    let metrics = PrometheusMetrics()
    Counter(label: "b_total", dimensions: [("z", "1"), ("a", "x\"y\\\n")], factory: metrics).increment(by: 3)
    Meter(label: "a-gauge", factory: metrics).set(1.5)
    Timer(label: "c_seconds", factory: metrics).recordNanoseconds(3_000_000)
    let text = metrics.text
    #expect(text.contains("# TYPE a_gauge gauge\na_gauge 1.5\n"))
    #expect(text.contains("# TYPE b_total counter\nb_total{a=\"x\\\"y\\\\\\n\",z=\"1\"} 3\n"))
    #expect(text.contains("c_seconds_bucket{le=\"0.0025\"} 0\nc_seconds_bucket{le=\"0.005\"} 1\n"))
    #expect(text.contains("c_seconds_bucket{le=\"+Inf\"} 1\nc_seconds_sum 0.003\nc_seconds_count 1\n"))
  }

  @Test("The same name and labels are one series; a name of another kind is none")
  func series() {
    let metrics = PrometheusMetrics()
    for _ in 0..<3 { Counter(label: "n", dimensions: [("k", "v")], factory: metrics).increment() }
    Meter(label: "n", dimensions: [("k", "v")], factory: metrics).set(9)
    #expect(metrics.text.contains("n{k=\"v\"} 3\n"))
    #expect(!metrics.text.contains("9"))
  }

  @Test("Labels without end fill no memory")
  func bound() {
    let metrics = PrometheusMetrics(limit: 10)
    for number in 0..<100 { Counter(label: "n", dimensions: [("k", "\(number)")], factory: metrics).increment() }
    #expect(metrics.text.split(separator: "\n").filter { $0.hasPrefix("n{") }.count == 10)
    #expect(metrics.text.contains("latchkey_metrics_dropped_series 90"))
  }

  @Test("Requests are counted by route, never by a client's text")
  func requests() async throws {
    try await RunningServer.with { server in
      try await server.withClient { client in
        _ = try await client.request("GET", Routes.live + "?secret=1")
        _ = try await client.request("GET", "/made/up")
        _ = try await client.request("PROPFIND", Routes.live)
        let text = try await client.request("GET", Routes.metrics).text
        #expect(
          text.contains("latchkey_requests_total{method=\"GET\",route=\"/health/live\",status=\"200\"} 1"))
        #expect(text.contains("latchkey_requests_total{method=\"GET\",route=\"none\",status=\"404\"} 1"))
        #expect(text.contains("latchkey_requests_total{method=\"other\",route=\"/health/live\",status=\"405\"} 1"))
        #expect(text.contains("latchkey_handshakes_total{certificate=\"no\"} 1"))
        for word in ["secret", "made", "PROPFIND"] { #expect(!text.contains(word)) }
      }
    }
  }
}
