import CertificateAuthority
import Crypto
import CryptoExtras
@testable import Enrollment
import EnrollmentProtocol
import EnrollmentStore
import Foundation
import Security
import Synchronization

/// Real servers as processes behind a proxy, and enrolled clients that ask them over mutual TLS with signed requests.
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
  init(
    folder: String, place: String, store: any EnrollmentStore, servers count: Int, clients clientCount: Int = 8,
    otherHarm: @escaping @Sendable () async throws -> String? = { nil }
  ) async throws {
    self.folder = folder
    self.place = place
    self.otherHarm = otherHarm
    let root = try Self.writeKeys(to: folder)
    let hash = try Self.passwordHash()
    try await store.write { try $0.updateUser(UserRecord(name: TortureLedger.user, passwordHash: hash)) }
    let proxy = try CuttingProxy()
    let servers = try (0..<count).map { try ChildProcess("torture-server", [folder, place, "server \($0)"]) }
    proxy.setPorts(try servers.map(Self.port))
    self.proxy = proxy
    self.servers = Mutex(servers)
    var clients: [(EnrollmentClient, Messenger.Signer)] = []
    for number in 0..<clientCount {
      var configuration = EnrollmentConfiguration(
        server: try ServerAddress("https://localhost:\(proxy.port)"),
        trustRoots: [SecCertificateCreateWithData(nil, Data(root) as CFData)].compactMap(\.self),
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
    let successor = try ChildProcess("torture-server", [folder, place, "server \(number)"])
    let all = servers.withLock { servers in
      servers[number] = successor
      return servers
    }
    proxy.setPorts(try all.map(Self.port))
    return "kill -9"
  }

  private static func port(_ server: ChildProcess) throws -> Int {
    guard let port = Int(server.greeting) else { throw TortureFailure("a server does not start: \(server.greeting)") }
    return port
  }

  /// An authority, a server's certificate and the key that signs answers, as files.
  private static func writeKeys(to folder: String) throws -> [UInt8] {
    func serial() -> [UInt8] { [0x40] + Identifier.random().bytes.dropFirst() }
    let (now, authorityKey, answerKey, serverKey) = (Date(), FileAuthorityKey(), FileAuthorityKey(), FileAuthorityKey())
    let authority = try CertificateAuthority(name: "Torture authority", key: authorityKey, now: now, serial: serial())
    let leaf = try authority.issueServer(
      names: ["localhost", "127.0.0.1"], publicKey: serverKey.publicKey, serial: serial(),
      notBefore: now.addingTimeInterval(-3_600), notAfter: now.addingTimeInterval(86_400))
    for (name, bytes) in [
      ("authority.der", authority.chain[0]), ("authority.key", authorityKey.pkcs8), ("answer.key", answerKey.pkcs8),
      ("server.der", leaf), ("server.key", serverKey.pkcs8),
    ] { try Data(bytes).write(to: URL(filePath: folder).appending(path: name)) }
    return authority.chain[0]
  }

  /// scrypt at the least cost that is read.
  private static func passwordHash() throws -> String {
    let salt = [UInt8](repeating: 7, count: 16)
    let key = try KDF.Scrypt.deriveKey(
      from: Array(password.utf8), salt: salt, outputByteCount: 32, rounds: 1 << 10, blockSize: 8, parallelism: 1)
    func text(_ bytes: some ContiguousBytes) -> String {
      bytes.withUnsafeBytes { Data($0) }.base64EncodedString().replacing("=", with: "")
    }
    return "$scrypt$ln=10,r=8,p=1$\(text(salt))$\(text(key))"
  }
}
