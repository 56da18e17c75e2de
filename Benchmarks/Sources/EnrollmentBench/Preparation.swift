internal import Crypto
internal import Foundation
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentPostgres
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentServer
internal import LatchkeyEnrollmentStore
internal import LatchkeyLedger
internal import Logging

/// A folder with an authority, a server's and a device's certificate, and a store that knows the device: all unprotected,
/// for benchmarks alone.
struct Preparation {
  let folder: URL

  init(folder: String) { self.folder = URL(fileURLWithPath: folder) }

  /// So many that concurrent transfers seldom share one, as with pgbench's 100 branches.
  static let accounts = 20_000

  func run(store: String?) async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if !FileManager.default.fileExists(atPath: file("ca.pem").path) { try makeCertificates() }
    let opened = try open(store)
    let now = Int64(Date().timeIntervalSince1970)
    let device = DeviceRecord(
      id: try identifier(), user: "bench", name: "bench", created: now,
      identityKey: Array(try key("client").publicKey.x963Representation),
      approvalKey: Array(P256.Signing.PrivateKey().publicKey.x963Representation), approvalEvidence: "latchkey-software")
    let certificate = CertificateRecord(
      fingerprint: Fingerprint(SHA256.hash(data: try Data(contentsOf: file("client.der")))), serial: Self.serial(),
      device: device.id, notAfter: now + 86_400)
    try await opened.write { transaction in
      guard try transaction.addUser(UserRecord(name: "bench", passwordHash: nil)) else { return }
      try transaction.addDevice(device)
      try transaction.addCertificate(certificate)
    }
    let bank = try LedgerService()
    try await opened.write { try $0.bringForward(bank.schema) }
    for first in stride(from: 0, to: Self.accounts, by: 500) {
      try await opened.write { transaction in
        guard try transaction.account(Self.account(first)) == nil else { return }
        let house = try transaction.houseAccount(currency: "EUR")
        for number in first..<first + 500 {
          let account = Self.account(number)
          _ = try transaction.addAccount(
            AccountRecord(number: account, user: "bench", name: "bench", currency: "EUR", balance: 0))
          _ = try transaction.book(
            Booking(
              id: .random(), from: house.number, to: account, amount: 1_000_000_000, currency: "EUR", notes: "",
              booked: now, device: nil))
        }
      }
    }
    await opened.close()
  }

  static func account(_ number: Int) -> String { String(100_000_000_000 + number) }

  func configuration(store: String?, logger: Logger) async throws -> ServerConfiguration {
    let authority = try CertificateAuthority(
      chain: [Array(Data(contentsOf: file("ca.der")))], key: FileAuthorityKey(fileContents: contents("ca.key")))
    var configuration = ServerConfiguration(
      certificateChain: [Array(try Data(contentsOf: file("server.der")))],
      privateKey: Array(try key("server").derRepresentation), authority: authority,
      answerKey: try FileAuthorityKey(fileContents: contents("answer.key")), store: try open(store),
      node: "bench-\(ProcessInfo.processInfo.processIdentifier)", logger: logger)
    configuration.services = [try LedgerService()]
    return configuration
  }

  func identifier() throws -> Identifier {
    guard let id = Identifier(try String(contentsOf: file("device"), encoding: .utf8)) else {
      throw CocoaError(.fileReadCorruptFile)
    }
    return id
  }

  func key(_ name: String) throws -> P256.Signing.PrivateKey {
    try P256.Signing.PrivateKey(pemRepresentation: String(contentsOf: file(name + ".key"), encoding: .utf8))
  }

  private func open(_ store: String?) throws -> any EnrollmentStore {
    let node = "bench-\(ProcessInfo.processInfo.processIdentifier)"
    if let store {
      let logger = Logger(label: "enrollment-bench")
      return try PostgresStore(PostgresAddress(url: store), node: node, logger: logger)
    }
    return try SQLiteStore(path: file("enrollment.db").path, node: node)
  }

  private func makeCertificates() throws {
    let now = Date()
    let (start, end) = (now.addingTimeInterval(-60), now.addingTimeInterval(86_400))
    let rootKey = P256.Signing.PrivateKey()
    let authorityKey = try FileAuthorityKey(fileContents: Array(rootKey.pemRepresentation.utf8))
    let authority = try CertificateAuthority(
      name: "Benchmark", key: authorityKey, now: start, serial: Self.serial())
    let (server, client, answer) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
    let device = Identifier.random().description
    try write("ca", authority.chain[0])
    try write(
      "server",
      authority.issueServer(
        names: ["localhost", "127.0.0.1"], publicKey: Array(server.publicKey.x963Representation),
        serial: Self.serial(), notBefore: start, notAfter: end))
    try write(
      "client",
      authority.issueClient(
        device: device, user: "bench", publicKey: Array(client.publicKey.x963Representation), serial: Self.serial(),
        notBefore: start, notAfter: end))
    for (name, key) in [("ca", rootKey), ("server", server), ("client", client), ("answer", answer)] {
      try Data(key.pemRepresentation.utf8).write(to: file(name + ".key"))
    }
    try Data(device.utf8).write(to: file("device"))
  }

  private func write(_ name: String, _ der: [UInt8]) throws {
    try Data(der).write(to: file(name + ".der"))
    let base64 = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    try Data("-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n".utf8).write(to: file(name + ".pem"))
  }

  private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }
  private func contents(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: file(name))) }
  private static func serial() -> [UInt8] { [0x11] + Identifier.random().bytes }
}
