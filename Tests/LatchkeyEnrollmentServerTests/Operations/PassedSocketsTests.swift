import Foundation
import Glibc
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Testing

/// Ports that a service manager opens (sd_listen_fds(3)).
@Suite("Socket activation", .timeLimit(.minutes(5))) struct PassedSocketsTests {
  private struct Place: ~Copyable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-sockets-\(UUID().uuidString)")
    deinit { try? FileManager.default.removeItem(at: folder) }
  }

  private struct Listening: Decodable {
    let url: URL
    let operations: URL?
    let `public`: URL?
    let ca: String
  }

  private func get(_ url: String, _ more: [String] = []) async throws -> String {
    let run = try await ForeignProgram.run(
      "/usr/bin/curl", ["-sS", "--max-time", "60", "-o", "/dev/null", "-w", "%{http_code}"] + more + [url])
    return try #require(run).output
  }

  private func started(_ kinds: [String], names: String?, _ place: borrowing Place, _ more: [String] = []) throws
    -> SpawnedServer
  {
    try SpawnedServer(
      PassedSocketProgram.python,
      PassedSocketProgram.words(
        kinds, names: names,
        [
          try ServedProgram.path(), "serve", "--json", "--state", place.folder.path, "--log-level", "critical",
        ] + more))
  }

  @Test(
    "Three sockets are the three ports, in any order, and the addresses of --listen are not opened",
    .needs("curl", "python3"))
  func three() async throws {
    let place = Place()
    // The address of --listen is one that nobody can bind.
    let server = try started(
      ["tcp", "tcp", "tcp"], names: "public:https:admin", place, ["--listen", "192.0.2.1:1"])
    defer { server.end() }
    let listening = try JSONDecoder().decode(Listening.self, from: Data(await server.firstLine().utf8))
    let (admin, published) = (try #require(listening.operations?.port), try #require(listening.public?.port))
    let trust = ["--cacert", listening.ca]
    let port = try #require(listening.url.port)
    #expect(Set([port, admin, published]).count == 3)
    #expect(try await get("https://localhost:\(port)\(Routes.authority)", trust) == "200")
    #expect(try await get("https://localhost:\(port)\(Routes.live)", trust) == "404")
    #expect(try await get("http://127.0.0.1:\(admin)\(Routes.ready)") == "200")
    #expect(try await get("http://127.0.0.1:\(admin)\(Routes.authority)") == "404")
    #expect(try await get("http://127.0.0.1:\(published)\(Routes.authority)") == "200")
    #expect(try await get("http://127.0.0.1:\(published)\(Routes.login)", ["-d", "{}"]) == "404")
    #expect(server.end() == 0)
  }

  private struct TenantLine: Decodable {
    let event: String
    let name: String?
    let url: URL
    let operations: URL?
    let `public`: URL?
    let ca: String?
  }

  /// Settings of two tenants, and the words that name them.
  private func tenants(_ place: borrowing Place, _ more: String = "") throws -> [String] {
    try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
    return try ["red", "blue"].flatMap { name in
      let path = place.folder.appending(path: "\(name).json").path
      try #"{"state": "\#(place.folder.path)/\#(name)", "tls-name": "\#(name).example.org"\#(more)}"#
        .write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      return ["--tenant", "\(name)=\(path)"]
    }
  }

  @Test(
    "The sockets of tenants are each tenant's own, in any order, and those that are missing are ports it does not have",
    .needs("curl", "python3"))
  func ofTenants() async throws {
    let place = Place()
    let words = [try ServedProgram.path(), "serve", "--json", "--listen", "192.0.2.1:1", "--log-level", "critical"]
    let names = "blue.admin:https:red.public:red.admin"
    let process = try SpawnedServer(
      PassedSocketProgram.python,
      PassedSocketProgram.words(["tcp", "tcp", "tcp", "tcp"], names: names, words + (try tenants(place))))
    defer { process.kill() }
    let text = await process.text(until: #""event":"listening""#)
    let lines = try text.split(separator: "\n").map { try JSONDecoder().decode(TenantLine.self, from: Data($0.utf8)) }
    try #require(lines.map(\.event) == ["tenant", "tenant", "listening"])
    let (red, blue) = (lines[0], lines[1])
    let port = try #require(lines[2].url.port)
    let (redAdmin, blueAdmin) = (try #require(red.operations?.port), try #require(blue.operations?.port))
    let redPublic = try #require(red.public?.port)
    #expect(Set([port, redAdmin, blueAdmin, redPublic]).count == 4 && blue.public == nil)
    for (line, admin) in [(red, redAdmin), (blue, blueAdmin)] {
      let name = try #require(line.name)
      let run = try await ForeignProgram.run(
        "/usr/bin/curl", ["-sS", "--max-time", "60", "http://127.0.0.1:\(admin)\(Routes.metrics)"])
      let metrics = try #require(run).output
      let other = name == "red" ? "blue" : "red"
      #expect(metrics.contains(#"tenant="\#(name)""#) && !metrics.contains(#"tenant="\#(other)""#))
      let resolve = ["--resolve", "\(name).example.org:\(port):127.0.0.1", "--cacert", try #require(line.ca)]
      #expect(try await get("https://\(name).example.org:\(port)\(Routes.authority)", resolve) == "200")
      #expect(try await get("https://\(name).example.org:\(port)\(Routes.live)", resolve) == "404")
    }
    let published = try await ForeignProgram.run(
      "/usr/bin/curl", ["-sS", "--max-time", "60", "http://127.0.0.1:\(redPublic)\(Routes.authority)"])
    let certificate = try String(contentsOfFile: try #require(red.ca), encoding: .utf8)
    #expect(try #require(published).output.contains(certificate.split(separator: "\n")[1].prefix(40)))
    #expect(process.end() == 0)
  }

  @Test(
    "A socket of no tenant, of a port for all, or beside an address of the same port is an error",
    .needs("python3"),
    arguments: [
      ("green.admin", "", #""green.admin": give FileDescriptorName= in the socket unit one of https, red.admin"#),
      ("admin", "", #""admin": give FileDescriptorName="#), ("public", "", #""public": give FileDescriptorName="#),
      ("red.https", "", #""red.https": give FileDescriptorName="#), ("RED.admin", "", #""RED.admin": give"#),
      ("red.admin", #", "admin-listen": "127.0.0.1:0""#, "tenant red: --admin-listen and a socket of the name admin"),
      ("blue.public", #", "public-listen": "127.0.0.1:0""#, "tenant blue: --public-listen and a socket"),
    ])
  func wrongOfTenants(names: String, settings: String, part: String) async throws {
    let place = Place()
    let words = [try ServedProgram.path(), "serve", "--listen", "127.0.0.1:0"] + (try tenants(place, settings))
    let run = try #require(
      try await ForeignProgram.run(
        PassedSocketProgram.python, PassedSocketProgram.words(["tcp"], names: names, words)))
    #expect(run.status == 64 && run.output.contains(part), "\(run.output)")
  }

  @Test("A socket that is taken is not passed on to programs") func closedOnExec() throws {
    let open = try OpenSocket.listening()
    defer { close(open.descriptor) }
    #expect(fcntl(open.descriptor, F_SETFD, 0) == 0)
    _ = try ListeningSocket(descriptor: open.descriptor)
    #expect(fcntl(open.descriptor, F_GETFD) == FD_CLOEXEC)
  }

  @Test("--admin-ca goes with a socket for administration as with an address", .needs("python3"))
  func authorityOfSocket() async throws {
    let place = Place()
    let words = [try ServedProgram.path(), "serve", "--state", place.folder.path, "--admin-ca", "/nowhere.pem"]
    for (names, part) in [("https", "--admin-ca goes with --admin-listen"), ("admin", "/nowhere.pem cannot be read")] {
      let run = try #require(
        try await ForeignProgram.run(
          PassedSocketProgram.python, PassedSocketProgram.words(["tcp"], names: names, words)))
      #expect(run.status != 0 && run.output.contains(part), "\(run.output)")
    }
  }

  @Test("One socket without a name is the TLS port", .needs("curl", "python3"), arguments: [nil, "https"])
  func one(names: String?) async throws {
    let place = Place()
    let server = try started(["tcp"], names: names, place)
    defer { server.end() }
    let listening = try JSONDecoder().decode(Listening.self, from: Data(await server.firstLine().utf8))
    #expect(listening.operations == nil && listening.public == nil)
    let port = try #require(listening.url.port)
    #expect(try await get("https://localhost:\(port)\(Routes.live)", ["--cacert", listening.ca]) == "200")
    #expect(server.end() == 0)
  }

  @Test("No socket at all is no activation", .needs("python3")) func none() async throws {
    let place = Place()
    for names in [nil, ""] {
      let server = try started([], names: names, place, ["--listen", "127.0.0.1:0"])
      #expect(await server.firstLine().contains(#""event":"listening""#))
      #expect(server.end() == 0)
    }
  }

  struct Wrong: CustomTestStringConvertible {
    let kinds: [String]
    var names: String?
    var count: String?
    var process: String?
    var more: [String] = []
    let part: String
    var testDescription: String { part }
  }

  @Test(
    "What is wrong with a socket is an error that names it, of the start and of --check", .needs("python3"),
    arguments: [
      Wrong(kinds: ["tcp"], process: "1", part: "which is not this one"),
      Wrong(kinds: ["tcp"], process: "none", part: "which is not this one"),
      Wrong(kinds: ["tcp"], process: "x", part: "which is not this one"),
      Wrong(kinds: ["tcp"], count: "-1", part: "LISTEN_FDS is no number"),
      Wrong(kinds: ["tcp"], count: "1 ", part: "LISTEN_FDS is no number"),
      Wrong(kinds: ["tcp"], count: "99999999999999999999", part: "LISTEN_FDS is no number"),
      Wrong(kinds: ["tcp"], count: "257", part: "LISTEN_FDS is no number"),
      Wrong(kinds: ["tcp"], names: "https:admin", count: "2", part: "the socket admin: descriptor 4 is no"),
      Wrong(kinds: ["tcp", "tcp"], part: "2 sockets have no names"),
      Wrong(kinds: ["tcp", "tcp"], names: "https", part: "LISTEN_FDNAMES has 1 names for the 2 sockets"),
      Wrong(kinds: ["tcp"], names: "https:", part: "LISTEN_FDNAMES has 2 names for the 1 sockets"),
      Wrong(kinds: [], names: "https", part: "LISTEN_FDNAMES has 1 names for the 0 sockets"),
      Wrong(kinds: ["tcp", "tcp"], names: "https:https", part: "two sockets have the name https"),
      Wrong(
        kinds: ["tcp"], names: "latchkey-server.socket", part: "\"latchkey-server.socket\": give FileDescriptorName="),
      Wrong(kinds: ["tcp"], names: "", part: "\"\": give FileDescriptorName="),
      Wrong(kinds: ["file"], part: "descriptor 3 is no socket"),
      Wrong(kinds: ["udp"], part: "descriptor 3 is no stream socket"),
      Wrong(kinds: ["unix"], part: "descriptor 3 is no TCP socket"),
      Wrong(kinds: ["unbound"], part: "descriptor 3 does not listen"),
      Wrong(kinds: ["connected"], part: "descriptor 3 does not listen"),
      Wrong(
        kinds: ["tcp"], names: "admin", more: ["--admin-listen", "127.0.0.1:0"], part: "--admin-listen and a socket"),
      Wrong(
        kinds: ["tcp"], names: "public", more: ["--public-listen", "127.0.0.1:0"], part: "--public-listen and a socket"),
    ], [false, true])
  func refused(wrong: Wrong, isCheck: Bool) async throws {
    let place = Place()
    let run = try #require(
      try await ForeignProgram.run(
        PassedSocketProgram.python,
        PassedSocketProgram.words(
          wrong.kinds, names: wrong.names, count: wrong.count, process: wrong.process,
          [
            try ServedProgram.path(), "serve", "--listen", "127.0.0.1:0", "--state", place.folder.path,
          ] + (isCheck ? ["--check"] : []) + wrong.more)))
    #expect(run.status == 64, "\(run.output)")
    #expect(run.output.contains(wrong.part), "\(run.output)")
    #expect(!FileManager.default.fileExists(atPath: place.folder.path))
  }

  @Test("Systemd's program opens the port, and starts the server with the first connection", .needs("curl"))
  func systemd() async throws {
    let activate = "/usr/bin/systemd-socket-activate"
    guard FileManager.default.isExecutableFile(atPath: activate) else { return skipHere("\(activate) is not there") }
    let place = Place()
    let free = try OpenSocket.listening()
    let port = free.port
    close(free.descriptor)
    // At an address of its own, where no other test takes the port meanwhile.
    let address = "127.\(Int.random(in: 64..<128)).\(Int.random(in: 0..<256)).\(Int.random(in: 1..<255))"
    let server = try SpawnedServer(
      activate,
      [
        "-l", "\(address):\(port)", "--fdname=https", try ServedProgram.path(), "serve", "--json", "--state",
        place.folder.path, "--log-level", "critical",
      ])
    defer { server.end() }
    // The authority is there with the first answer alone.
    #expect(
      try await get(
        "https://localhost:\(port)\(Routes.live)",
        [
          "-k", "--resolve", "localhost:\(port):\(address)", "--retry", "60", "--retry-delay", "1",
          "--retry-all-errors",
        ])
        == "200")
    #expect(await server.firstLine().contains("\"url\":\"https://\(address):\(port)\""))
    #expect(server.end() == 0)
  }

  @Test("Systemd accepts the units") func units() async throws {
    let analyze = "/usr/bin/systemd-analyze"
    guard FileManager.default.isExecutableFile(atPath: analyze) else { return skipHere("\(analyze) is not there") }
    let place = Place()
    try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
    let units = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../Scripts/units")
    for name in ["latchkey-server.service", "latchkey-server.socket"] {
      let text = try String(contentsOf: units.appending(path: name), encoding: .utf8)
      try text.replacing("@PREFIX@/bin/latchkey-server", with: try ServedProgram.path()).write(
        to: place.folder.appending(path: name), atomically: true, encoding: .utf8)
    }
    let page = try String(contentsOf: WirePage.file("RunningTheServer"), encoding: .utf8)
    let match = try #require(page.firstMatch(of: /<!-- admin socket -->\n```ini\n((?:.*\n)*?)```\n/))
    try String(match.1).write(
      to: place.folder.appending(path: "latchkey-admin.socket"), atomically: true, encoding: .utf8)
    let run = try #require(
      try await ForeignProgram.run(
        analyze,
        ["verify", "--man=no"]
          + ["latchkey-server.socket", "latchkey-admin.socket"].map { place.folder.appending(path: $0).path }))
    #expect(run.status == 0, "\(run.output)")
    #expect(!run.output.contains("latchkey"), "\(run.output)")
  }
}
