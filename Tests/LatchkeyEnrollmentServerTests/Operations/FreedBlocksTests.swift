import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Testing

@testable import latchkey_server

/// What the server's process holds of memory that it no longer uses.
@Suite("Freed blocks", .timeLimit(.minutes(5))) struct FreedBlocksTests {
  @Test("The memory of password hashes is returned to the system")
  func returned() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-blocks-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try await ServedProgram(["--state", folder.path, "--logins-per-minute", "1000"])
    // After the first hash, glibc would keep the memory of the next ones.
    try await server.guess(1)
    let before = try Self.held(by: server)
    try await server.guess(12)
    let after = try Self.held(by: server)
    #expect(after < before + 12 * 1024, "\(before) KiB before, \(after) KiB after")
    #expect(server.end() == 0)
  }

  @Test(
    "What the operator has set by glibc's variables is not changed",
    arguments: [
      ([:], [-3, -1]), (["MALLOC_MMAP_THRESHOLD_": "1"], [-1]), (["MALLOC_TRIM_THRESHOLD_": "1"], [-3]),
      (["GLIBC_TUNABLES": "glibc.malloc.trim_threshold=1:glibc.malloc.mmap_threshold=1"], []),
      (["GLIBC_TUNABLES": "glibc.malloc.arena_max=1"], [-3, -1]),
    ] as [([String: String], [CInt])])
  func operators(environment: [String: String], options: [CInt]) {
    #expect(FreedBlocks.options(environment: environment) == options)
  }

  /// KiB of a process that no file holds.
  private static func held(by server: ServedProgram) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(server.id)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
    return try #require(line.split { $0.isWhitespace }.dropFirst().first.flatMap { Int($0) })
  }
}

extension ServedProgram {
  /// Sends this number of wrong passwords, one after the other, each for a user of its own.
  fileprivate func guess(_ count: Int) async throws {
    for number in 0..<count {
      let status = try await withClient {
        try await $0.post(Routes.login, PasswordLogin(user: "user\(count)-\(number)", password: "wrong")).status
      }
      try #require(status == 401)
    }
  }
}
