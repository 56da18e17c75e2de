@testable import LatchkeyEnrollment
import LatchkeyTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Security
import Synchronization

/// The servers that users run, as processes behind a proxy, and enrolled clients that ask them over mutual TLS with signed
/// requests.
final class EnrolledClients: TortureServers {
  private static let password = "correct horse battery staple"

  private let folder: String
  private let place: String
  private let proxy: CuttingProxy
  private let servers: Mutex<[ChildProcess]>
  private let clients: [TortureClient]
  private let harms: [@Sendable () async throws -> String?]
  private let surprises = Mutex<[String]>([])
  private let deck = Mutex<[Int]>([])

  /// Starts servers on a store, and enrolls the clients.
  ///
  /// - Parameters:
  ///   - folder: the state folder of all servers: one authority, and one key that signs answers.
  ///   - place: the store, as the servers' own option names it.
  ///   - harms: what may be done beside the servers' own harm, and what was done; nil where it could not be done.
  init(
    folder: String, place: String, servers count: Int, clients clientCount: Int = 8,
    harms: [@Sendable () async throws -> String?] = []
  ) async throws {
    self.folder = folder
    self.place = place
    self.harms = harms
    let file = folder + "/torture-password"
    try Self.password.write(toFile: file, atomically: true, encoding: .utf8)
    let changed = try ChildProcess.run(
      "latchkey-server",
      ["user", "password", TortureLedger.user, "--password", "@" + file, "--store", place, "--state", folder])
    guard changed.hasPrefix("Changed the password") else { throw TortureFailure("no password: \(changed)") }
    let proxy = try CuttingProxy()
    let servers = try (0..<count).map { try Self.server($0, folder: folder, place: place) }
    proxy.setPorts(try servers.map(Self.port))
    let root = try Self.certificate(folder + "/ca.pem")
    self.proxy = proxy
    self.servers = Mutex(servers)
    var clients: [TortureClient] = []
    for number in 0..<clientCount {
      var configuration = EnrollmentConfiguration(
        server: try ServerAddress("https://localhost:\(proxy.port)"),
        trustRoots: [SecCertificateCreateWithData(nil, root as CFData)].compactMap(\.self),
        label: "client \(number)")
      configuration.timeout = .seconds(20)
      let client = EnrollmentClient(configuration)
      clients.append(
        try await TortureClient(client, user: TortureLedger.user, password: Self.password, name: "client \(number)"))
    }
    self.clients = clients
  }

  /// Answers of servers that must never occur.
  var complaints: [String] { surprises.withLock { $0 } }

  func close() async {
    for client in clients { await client.client.close() }
    servers.withLock { for server in $0 { server.kill() } }
  }

  func send(_ transfer: TortureTransfer, client number: Int) async -> TortureAnswer? {
    let torture = clients[number % clients.count]
    let (client, signer) = (torture.client, torture.signer)
    do {
      let wanted = Transfer(
        from: transfer.from, to: transfer.to, amount: Amount(minorUnits: transfer.amount), currency: "EUR",
        notes: transfer.key)
      var call = try Call.send(Routes.transfers, wanted, .signature, idempotencyKey: transfer.key)
      // Each try is one: it is the torture that asks again, of whichever server.
      call.isSafeTwice = false
      let receipt = try await client.messenger.send(call, as: signer).decode(TransferReceipt.self)
      return .booked(receipt.transfer)
    } catch let refusal as Refusal {
      switch refusal.problem.code {
      case .insufficientFunds where refusal.isSigned: return .refused
      case .unavailable, .internalError, .inProgress, .tooManyRequests: break
      // The device was revoked, or has another key: it enrolls anew, or uses that key, and asks for the same transfer again.
      case .revoked, .notAuthenticated: await torture.refresh(after: signer)
      default: surprises.withLock { $0.append("\(transfer.key): \(refusal.problem)") }
      }
    } catch EnrollmentError.keychain(errSecItemNotFound, _) {
      // The key was changed while this waited for its turn to sign; with nothing else to sign, the transfer is never answered.
      await torture.refresh(after: signer)
    } catch EnrollmentError.unreachable {
    } catch EnrollmentError.outcomeUnknown {
    } catch {
      surprises.withLock { $0.append("\(transfer.key): \(error)") }
    }
    return nil
  }

  func harm(_ chance: inout Chance) async throws -> String {
    let client = clients[Int.random(in: clients.indices, using: &chance)]
    let count = servers.withLock { $0.count }
    let number = Int.random(in: 0..<count, using: &chance)
    let server = servers.withLock { $0[number] }
    // Each kind once before any comes again.
    let kind = deck.withLock { deck in
      if deck.isEmpty { deck = Array(0..<6 + harms.count).shuffled(using: &chance) }
      return deck.removeLast()
    }
    switch kind {
    case 0: if proxy.cutOne() { return "line cut" }
    case 1:
      await client.changeKey()
      return "key changed"
    case 2:
      let device = client.signer.device
      let revoked = try ChildProcess.run(
        "latchkey-server", ["device", "revoke", device, "--store", place, "--state", folder])
      if revoked.hasPrefix("Revoked") { return "device revoked" }
    case 3 where isDiskFillable:
      server.limitFiles(to: 4096)
      try? await Task.sleep(for: .milliseconds(Int.random(in: 20...200, using: &chance)))
      server.limitFiles(to: nil)
      return "disk full"
    case 4:
      server.terminate()
      try restart(number)
      return "SIGTERM"
    case 6...: if let done = try await harms[kind - 6]() { return done }
    default: break
    }
    server.kill()
    try restart(number)
    return "kill -9"
  }

  /// Where the store is a file of the servers' own.
  private var isDiskFillable: Bool { place.hasPrefix("sqlite:") }

  private func restart(_ number: Int) throws {
    let successor = try Self.server(number, folder: folder, place: place)
    let all = servers.withLock { servers in
      servers[number] = successor
      return servers
    }
    proxy.setPorts(try all.map(Self.port))
  }

  /// One of the servers, with limits that no torture reaches. It listens when this returns.
  private static func server(_ number: Int, folder: String, place: String) throws -> ChildProcess {
    try ChildProcess(
      "latchkey-server",
      [
        "serve", "--sample-bank", "--json", "--listen", "127.0.0.1:0", "--state", folder, "--store", place, "--node",
        "server \(number)",
        "--log-level", "critical", "--logins-per-minute", "100000", "--requests-per-second", "100000",
        "--approval-sum", "none", "--devices-per-user", "1000000",
      ], isGuarded: true)
  }

  private static func port(_ server: ChildProcess) throws -> Int {
    struct Listening: Decodable {
      let url: URL
    }
    let listening = try? JSONDecoder().decode(Listening.self, from: Data(server.greeting.utf8))
    guard let port = listening?.url.port else { throw TortureFailure("a server does not start: \(server.greeting)") }
    return port
  }

  /// The certificate that a server wrote, DER.
  private static func certificate(_ path: String) throws -> Data {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let text = lines.filter { !$0.hasPrefix("-----") }.joined()
    guard let bytes = Data(base64Encoded: text) else { throw TortureFailure("\(path) is no certificate") }
    return bytes
  }
}
