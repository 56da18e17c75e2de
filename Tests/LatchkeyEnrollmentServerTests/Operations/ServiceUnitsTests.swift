import Foundation
import Glibc
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Testing

/// What the units of services must not forbid, and not give up.
@Suite(.timeLimit(.minutes(5))) struct ServiceUnitsTests {
  private static let analyze = "/usr/bin/systemd-analyze"
  private static let strace = "/usr/bin/strace"
  private static let units = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
    path: "../../../Scripts/units")

  /// Starts the server, waits until it listens and has answered, and ends it.
  private static let script = """
    coproc SERVER { exec "$0" serve --json --listen 127.0.0.1:0 --state "$1" --log-level critical; }
    process=$SERVER_PID
    while read -r line; do
      if [[ $line =~ \\"url\\":\\"(https://[^\\"]*)\\" ]]; then break; fi
    done <&"${SERVER[0]}"
    curl -sk --max-time 60 -o "$1/answer" "${BASH_REMATCH[1]}/v1/crl"
    kill "$process"
    wait "$process"
    """

  @Test("A server whose database is away is started again for as long as it takes") func restarts() throws {
    let unit = try String(contentsOf: Self.units.appending(path: "latchkey-server.service"), encoding: .utf8)
    let seconds = unit.firstMatch(of: /(?m)^RestartSec=([0-9]+)$/).flatMap { Int($0.1) }
    // Five starts within ten seconds are the last (systemd.unit(5), StartLimitBurst and StartLimitIntervalSec).
    #expect(try #require(seconds, "RestartSec= is missing") * 4 > 10)
    #expect(!unit.contains("StartLimit"))
  }

  /// The system calls of the server's libraries are among them.
  @Test("Each unit allows what the server calls") func allowed() async throws {
    for program in [Self.analyze, Self.strace] where !FileManager.default.isExecutableFile(atPath: program) {
      return skipHere("\(program) is not there")
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-calls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    let log = folder.appending(path: "calls")
    let run = try #require(
      try await ForeignProgram.run(
        Self.strace,
        [
          "-f", "-qq", "-e", "signal=none", "-o", log.path, "/bin/bash", "-c", Self.script, try ServedProgram.path(),
          folder.path,
        ]))
    guard !run.output.contains("PTRACE") else { return skipHere("strace may not trace here") }
    #expect(run.status == 0, "\(run.output)")
    var called = Set(
      try String(contentsOf: log, encoding: .utf8).matches(of: /(?m)^[0-9]+ +([a-z][a-z0-9_]*)\(/).map { String($0.1) })
    // Accepting a connection and signing are among them.
    try #require(called.contains("accept4") && called.contains("futex"), "\(called.sorted())")
    // SQLite gives its files to the owner of the database as root alone.
    if geteuid() == 0 { called.remove("fchown") }
    let groups = try await Self.groups()
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.units.path).sorted()
    where name.hasSuffix(".service") {
      let unit = try String(contentsOf: Self.units.appending(path: name), encoding: .utf8)
      let refused = called.subtracting(try Self.allowed(by: unit, groups))
      #expect(refused.isEmpty, "\(name) refuses \(refused.sorted())")
    }
  }

  /// What the lines `SystemCallFilter=` of a unit allow (systemd.exec(5)).
  private static func allowed(by unit: String, _ groups: [String: [String]]) throws -> Set<String> {
    var allowed = try names(of: "@default", groups)
    for line in unit.matches(of: /(?m)^SystemCallFilter=(~?)(.*)$/) {
      for word in line.2.split(separator: " ") {
        let names = try names(of: String(word), groups)
        if line.1.isEmpty { allowed.formUnion(names) } else { allowed.subtract(names) }
      }
    }
    return allowed
  }

  private static func names(of word: String, _ groups: [String: [String]]) throws -> Set<String> {
    guard word.hasPrefix("@") else { return [word] }
    return try #require(groups[word], "\(word)").reduce(into: []) { $0.formUnion(try names(of: $1, groups)) }
  }

  /// The groups of system calls that systemd knows, and what is in each.
  private static func groups() async throws -> [String: [String]] {
    let run = try #require(try await ForeignProgram.run(analyze, ["syscall-filter", "--no-pager"]))
    var groups: [String: [String]] = [:]
    var current = ""
    for line in run.output.split(separator: "\n") {
      let word = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("@") {
        current = word
        groups[current] = []
      } else if line.hasPrefix(" "), !word.hasPrefix("#") {
        groups[current, default: []].append(word)
      }
    }
    return groups
  }
}
