import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import SwiftASN1
import Testing
import X509

/// The files that `latchkey-server` makes for itself, and its output about them.
@Suite("First starts of the program latchkey-server", .serialized)
struct FirstStartTests {
  private struct Place: ~Copyable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-first-\(UUID().uuidString)")
    var state: [String] { ["--state", folder.path] }
    deinit { try? FileManager.default.removeItem(at: folder) }
  }

  @Test("Servers that start at once in a new folder have one authority, one password and one claim to their names")
  func atOnce() async throws {
    let place = Place()
    let state = place.state
    let nodes = (1...4).map { "node \($0)" }
    let servers = try await withThrowingTaskGroup(of: ServedProgram.self) { group in
      for node in nodes { group.addTask { try await ServedProgram(state + ["--node", node]) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let file = place.folder.appending(path: "demo-password")
    let password = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
    for server in servers {
      // The certificate that a server shows is by the key that goes with the authority in the folder.
      try await server.withClient { client in
        let login = try await client.post(Routes.login, PasswordLogin(user: "demo", password: password))
        #expect(login.status == 200, "\(login.text)")
      }
    }
    // A name that was claimed by a number that the folder does not have would not be free for a minute.
    for server in servers { server.kill() }
    for node in nodes {
      let again = try await ServedProgram(state + ["--node", node])
      #expect(again.end() == 0)
    }
  }

  @Test(
    "A server waits while another makes what their folder lacks, and takes what that made", .timeLimit(.minutes(10)))
  func waits() async throws {
    let place = Place()
    try FileManager.default.createDirectory(
      at: place.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    func file(_ name: String) -> String { place.folder.appending(path: name).path }
    let lock = open(file("making.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(flock(lock, LOCK_EX) == 0)
    let about = try FileManager.default.attributesOfItem(atPath: file("making.lock"))
    let (state, inode) = (place.state, try #require(about[.systemFileNumber] as? NSNumber).uint64Value)
    let starting = Task { try await ServedProgram(state) }
    // Until it waits for the lock, or does without.
    try await waitUntil {
      if FileManager.default.fileExists(atPath: file("ca.pem")) { return true }
      let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
      return locks.contains { $0.contains("->") && $0.contains(":\(inode) ") }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path) == ["making.lock"])
    let key = FileAuthorityKey()
    let authority = try CertificateAuthority(name: "Made first", key: key, now: Date(), serial: RunningServer.serial())
    let certificate = try Certificate(derEncoded: authority.chain[0]).serializeAsPEM().pemString
    for (name, text) in [("ca-key.pem", key.pem), ("ca.pem", certificate)] {
      try Data(text.utf8).write(to: URL(filePath: file(name)))
      #expect(chmod(file(name), 0o600) == 0)
    }
    close(lock)
    let server = try await starting.value
    // The client believes that authority, and no other.
    try await server.withClient { try await $0.expectLive() }
    #expect(try String(contentsOfFile: file("ca.pem"), encoding: .utf8) == certificate)
    #expect(server.end() == 0)
  }

  @Test("A server that is open to others warns of its own authority and of its user demo, and one on loopback does not")
  func warnings() async throws {
    let place = Place()
    let state = place.state
    let (authority, demo) = ("an authority that it made for itself", "has the user demo")
    let key = place.folder.path + "-ca-key.pem"
    defer { try? FileManager.default.removeItem(atPath: key) }
    // An address that is not this machine's: the server ends before it serves a request.
    let open = try await ServedProgram.run(["serve", "--listen", "192.0.2.1:0"] + state)
    #expect(open.output.contains(authority) && open.output.contains(demo), "\(open.output)")
    let store = ["--store", "sqlite:\(place.folder.path)/server.db"]
    let named = try await ServedProgram.run(["serve", "--listen", "192.0.2.1:0"] + state + store)
    #expect(named.output.contains(authority) && !named.output.contains(demo), "\(named.output)")
    let health = ["--operations-listen", "192.0.2.1:0"]
    let operations = try await ServedProgram.run(["serve", "--listen", "127.0.0.1:0"] + state + health)
    #expect(operations.output.contains("health and metrics are open to other machines"), "\(operations.output)")
    #expect(!operations.output.contains(authority) && !operations.output.contains(demo), "\(operations.output)")
  }
}
