@testable import Enrollment
import EnrollmentProtocol
import EnrollmentStore
import Foundation
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
  private let clients: [(client: EnrollmentClient, signer: Messenger.Signer)]
  private let otherHarm: @Sendable () async throws -> String?
  private let surprises = Mutex<[String]>([])

  /// Starts servers on a store, and enrolls the clients.
  ///
  /// - Parameters:
  ///   - folder: the state folder of all servers: one authority, and one key that signs answers.
  ///   - place: the store, as the servers' own option names it.
  init(
    folder: String, place: String, servers count: Int, clients clientCount: Int = 8,
    otherHarm: @escaping @Sendable () async throws -> String? = { nil }
  ) async throws {
    self.folder = folder
    self.place = place
    self.otherHarm = otherHarm
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
    var clients: [(EnrollmentClient, Messenger.Signer)] = []
    for number in 0..<clientCount {
      var configuration = EnrollmentConfiguration(
        server: try ServerAddress("https://localhost:\(proxy.port)"),
        trustRoots: [SecCertificateCreateWithData(nil, root as CFData)].compactMap(\.self),
        label: "client \(number)")
      configuration.timeout = .seconds(20)
      let client = EnrollmentClient(configuration)
      _ = try await client.logIn(
        user: TortureLedger.user, password: Self.password, deviceName: "client \(number)"
      ).value
      clients.append((client, try await client.validIdentity().signer))
    }
    self.clients = clients
  }

  /// What servers said that they should never say.
  var complaints: [String] { surprises.withLock { $0 } }

  func close() async {
    for (client, _) in clients { await client.close() }
    servers.withLock { for server in $0 { server.kill() } }
  }

  func send(_ transfer: TortureTransfer, client number: Int) async -> TortureAnswer? {
    let (client, signer) = clients[number % clients.count]
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
      default: surprises.withLock { $0.append("\(transfer.key): \(refusal.problem)") }
      }
    } catch EnrollmentError.unreachable {
    } catch EnrollmentError.outcomeUnknown {
    } catch {
      surprises.withLock { $0.append("\(transfer.key): \(error)") }
    }
    return nil
  }

  func harm(_ chance: inout Chance) async throws -> String {
    switch Int.random(in: 0..<3, using: &chance) {
    case 0: if proxy.cutOne() { return "line cut" }
    case 1: if let done = try await otherHarm() { return done }
    default: break
    }
    let count = servers.withLock { $0.count }
    let number = Int.random(in: 0..<count, using: &chance)
    servers.withLock { $0[number] }.kill()
    let successor = try Self.server(number, folder: folder, place: place)
    let all = servers.withLock { servers in
      servers[number] = successor
      return servers
    }
    proxy.setPorts(try all.map(Self.port))
    return "kill -9"
  }

  /// One of the servers, with limits that no torture reaches. It listens when this returns.
  private static func server(_ number: Int, folder: String, place: String) throws -> ChildProcess {
    try ChildProcess(
      "latchkey-server",
      [
        "serve", "--json", "--listen", "127.0.0.1:0", "--state", folder, "--store", place, "--node", "server \(number)",
        "--log-level", "critical", "--logins-per-minute", "100000", "--requests-per-second", "100000",
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
