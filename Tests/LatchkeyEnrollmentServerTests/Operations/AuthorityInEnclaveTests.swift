import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Foundation
import Testing

/// An authority whose key never leaves the enclave, made and used with the programs as their users run them.
@Suite("An authority's key in the keychain", .serialized)
struct AuthorityInEnclaveTests {
  /// A folder with a keychain of its own.
  private struct Place: ~Copyable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-authority-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: folder) }

    func file(_ name: String) -> String { folder.appending(path: name).path }

    /// Runs a program that was built beside the tests.
    func run(
      _ program: String, _ words: [String], _ more: [String: String] = [:]
    ) async throws -> ForeignProgram {
      let own = ["LATCHKEY_KEYCHAIN": file("keychain.db"), "HOME": folder.path, "PATH": "/usr/bin:/bin"]
      let environment = own.merging(more) { $1 }
      return try #require(try await ForeignProgram.run(ProgramPath.built(program), words, environment: environment))
    }
  }

  @Test("A certificate is made for a key of the enclave; it then signs revocation lists, and no other key does")
  func authority() async throws {
    let place = try Place()
    let ca = place.file("ca.pem")
    #expect(try await place.run("latchkey", ["enclave", "create", "ca"]).status == 0)
    let made = try await place.run("latchkey-server", ["ca", "create", "--key", "keychain:ca", "--out", ca, "--json"])
    #expect(made.status == 0, "\(made.output)")
    #expect(made.output.contains(#"{"event":"created","file":""#))
    if let verified = try await ForeignProgram.runOrSkip("/usr/bin/openssl", ["verify", "-CAfile", ca, ca]) {
      #expect(verified.output.contains("ca.pem: OK"))
    }
    let again = try await place.run("latchkey-server", ["ca", "create", "--key", "keychain:ca", "--out", ca])
    #expect(again.status == 65)
    #expect(again.output.contains("there already"))

    let state = ["--state", place.file("state")]
    let list = place.file("list.crl")
    let options = ["--ca", ca, "--ca-key", "keychain:ca"]
    // A list of what was revoked needs a store in which that stands.
    let password = place.file("password")
    try Data("long enough".utf8).write(to: URL(filePath: password))
    #expect(chmod(password, 0o600) == 0)
    let added = try await place.run("latchkey-server", ["user", "add", "ann", "--password", "@\(password)"] + state)
    #expect(added.status == 0, "\(added.output)")
    let written = try await place.run("latchkey-server", ["crl", list] + options + state)
    #expect(written.status == 0, "\(written.output)")
    if let verified = try await ForeignProgram.runOrSkip(
      "/usr/bin/openssl", ["crl", "-inform", "DER", "-in", list, "-noout", "-CAfile", ca])
    {
      #expect(verified.output.contains("verify OK"))
    }
    #expect(!FileManager.default.fileExists(atPath: place.file("state/ca-key.pem")))

    #expect(try await place.run("latchkey", ["enclave", "create", "other"]).status == 0)
    let other = try await place.run(
      "latchkey-server", ["crl", list, "--ca", ca, "--ca-key", "keychain:other"] + state)
    #expect(other.status == 65)
    #expect(other.output.contains("for another key"))
  }

  private func write(_ text: String, to path: String, mode: Int) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  @Test("A missing key, and one that asks for its user, is refused with the next step")
  func refusals() async throws {
    let place = try Place()
    let ca = place.file("ca.pem")
    let missing = try await place.run("latchkey-server", ["ca", "create", "--key", "keychain:none", "--out", ca])
    #expect(missing.status == 65)
    #expect(missing.output.contains("latchkey enclave create none"))
    // Each request leaves a trace.
    try write("a long passcode\n", to: place.file("passcode"), mode: 0o600)
    try write("#!/bin/sh\ntouch \(place.file("asked"))\necho a long passcode\n", to: place.file("ask"), mode: 0o700)
    let passcode = ["LATCHKEY_PASSCODE_FILE": place.file("passcode"), "LATCHKEY_ASKPASS": place.file("ask")]
    let set = try await place.run("latchkey", ["keychain", "set-passcode", "--new", "@" + place.file("passcode")])
    #expect(set.status == 0, "\(set.output)")
    let made = try await place.run("latchkey", ["enclave", "create", "guarded", "--guard", "user-presence"], passcode)
    #expect(made.status == 0, "\(made.output)")
    let create = ["ca", "create", "--key", "keychain:guarded", "--out", ca]
    let guarded = try await place.run("latchkey-server", create, passcode)
    #expect(guarded.status == 69)
    #expect(guarded.output.contains("a server's key has no guard"), "\(guarded.output)")
    let locked = try await place.run("latchkey-server", create)
    #expect(locked.status == 69)
    #expect(!FileManager.default.fileExists(atPath: place.file("asked")))
    let alone = try await place.run("latchkey-server", ["crl", place.file("list.crl"), "--ca-key", "keychain:guarded"])
    #expect(alone.status == 64)
    #expect(alone.output.contains("latchkey-server ca create"))
    let file = try await place.run("latchkey-server", ["ca", "create", "--key", place.file("none"), "--out", ca])
    #expect(file.status == 65)
    #expect(file.output.contains("keychain:LABEL"))
    #expect(!FileManager.default.fileExists(atPath: ca))
  }
}
