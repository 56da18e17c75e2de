import LatchkeyEnrollmentServer
import LatchkeyLedger
import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Synchronization
import Testing

@Suite("The last answers of a server", .timeLimit(.minutes(10)))
struct LastAnswersTests {
  /// A store that outlives its server.
  private struct KeptStore: EnrollmentStore {
    let store: ObservedStore

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
      try await store.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
      try await store.write(body)
    }

    func close() async {}
  }

  private final class Acknowledged: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func next() -> Int {
      number.withLock {
        $0 += 1
        return $0
      }
    }
  }

  @Test(
    "What was booked is what was answered, on connections that go on when the server ends", arguments: [false, true])
  func acknowledged(http2: Bool) async throws {
    for _ in 0..<3 {
      let store = KeptStore(store: try ObservedStore())
      let server = try await RunningServer { $0.store = store }
      let (from, to) = try await server.openAccounts()
      let (acknowledged, enough) = (Acknowledged(), Gate())
      try await withThrowingTaskGroup { group in
        for _ in 0..<6 {
          let device = try await server.device()
          group.addTask {
            try await server.withClient(device, http2: http2) { client in
              while true {
                let body = Array(
                  try JSONEncoder().encode(
                    Transfer(from: from, to: to, amount: Amount(minorUnits: 1), currency: "EUR", notes: "")))
                let answer = try? await client.send(server.signed(by: device, body: body))
                guard answer?.status == 201 else { break }
                if acknowledged.next() == 30 { await enough.open() }
              }
            }
          }
        }
        await enough.pass()
        try await server.stop()
        try await group.waitForAll()
      }
      let booked = try await store.read { try $0.account(to)?.balance }
      #expect(booked == Int64(acknowledged.count))
      await store.store.close()
    }
  }

  @Test("The answer that is under way when the server ends says that it is the last, and nothing behind it is begun")
  func last() async throws {
    let (store, metrics) = (try ObservedStore(), PrometheusMetrics())
    let server = try await RunningServer {
      $0.store = store
      $0.metrics = metrics
    }
    let device = try await server.device()
    let (arrived, release) = (Gate(), Gate())
    let connection = try await RawConnection(to: server, device: device)
    store.set {
      $0.beforeRead = {
        await arrived.open()
        await release.pass()
      }
    }
    let request = "GET /v1/accounts HTTP/1.1\r\nHost: a\r\n\r\n"
    try await connection.send(request + request)
    await arrived.pass()
    async let stopped: Void = server.stop()
    while let late = try? await RawConnection(to: server, tls: false) { try await late.close() }
    try await connection.trySend(request)
    await release.open()
    let answers = try await connection.untilClosed()
    try await stopped
    #expect(answers.matches(of: /HTTP\/1\.1 200/).count == 1)
    #expect(answers.lowercased().contains("connection: close"))
    #expect(metrics.text.contains("latchkey_requests_total{method=\"GET\",route=\"/v1/accounts\",status=\"200\"} 1"))
  }
}
