import Foundation
import Glibc
import LatchkeyKeychainStore

/// `keychain-bench [--seconds S] [--rounds N] [add|writers|find|secitem|growth|first|look|keyring …]`: the keychain against plain
/// SQLite, both in this process and on the same disk, alternating.
///
/// `keyring` is our half of the comparison with gnome-keyring: one JSON line, finds a second among 1 000 items.
///
/// `keychain-bench ours add|writers|find COUNT` does nothing else, for a profiler: `valgrind --tool=callgrind`, `perf record`.
@main struct KeychainBench {
  static let all = ["add", "writers", "find", "secitem", "growth", "first", "look"]

  static func main() throws {
    if CommandLine.arguments.count == 5, CommandLine.arguments[1] == "probe" { return try OtherProcess.run() }
    let options = try Options(CommandLine.arguments.dropFirst())
    let folder = URL(filePath: FileManager.default.currentDirectoryPath)
      .appending(path: ".build/keychain-bench-\(getpid())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    // Where `SecItem*` of this process goes; read once, at the first call.
    setenv("LATCHKEY_KEYCHAIN", folder.appending(path: "items-10000/keychain.db").path(), 1)
    unsetenv("LATCHKEY_ENTITLEMENTS")

    if options.figures == ["keyring"] { return try keyring(options, folder) }
    if options.figures.first == "ours" { return try OnlyOurs.run(options.figures.dropFirst(), folder) }
    print("SQLite \(PlainWriter.version), \(options.rounds) rounds of \(options.seconds) s a side, wall time")
    for figure in options.figures.isEmpty ? all : options.figures {
      switch figure {
      case "add": try add(options, folder)
      case "writers": try writers(options, folder)
      case "find": try find(options, folder)
      case "secitem": try securityFind(options, folder)
      case "growth": try growth(options, folder)
      case "first": try first(options, folder)
      case "look": try look(options, folder)
      default: throw BenchFailure.unknownFigure(figure)
      }
    }
  }

  private static func add(_ options: Options, _ folder: URL) throws {
    let keychain = try OurKeychain(folder: folder, name: "adds")
    let plain = try PlainWriter(folder: folder)
    var next = 0
    try compare(
      "durable single add, against plain SQLite's row and three tags, WAL and FULL", to: ">= 0.65 x", options,
      ours: { seconds in
        try pace(for: seconds) {
          try keychain.add(next)
          next += 1
        }
      }, peer: { seconds in try pace(for: seconds) { try plain.add() } })
  }

  private static func writers(_ options: Options, _ folder: URL) throws {
    let keychain = try OurKeychain(folder: folder, name: "writers")
    let plain = try PlainWriter(folder: folder)
    var base = 0
    try compare(
      "sixteen writers at once, against one plain SQLite writer", to: ">= 3 x", options,
      ours: { seconds in
        // Each writer numbers on its own; the next slice begins well beyond all of them.
        defer { base += 16_000_000 }
        return try Pace { try keychain.add(from: base, for: seconds) }
      }, peer: { seconds in try pace(for: seconds) { try plain.add() } })
  }

  private static func find(_ options: Options, _ folder: URL) throws {
    let keychain = try filled(10_000, folder)
    let plain = try PlainSelect(folder: folder, items: 10_000)
    var ids = Permutation(10_000)
    try compare(
      "find one with its data among 10 000, against the two-tag select through GRDB", to: ">= 0.25 x", options,
      ours: { seconds in try pace(for: seconds) { try keychain.find(ids.next()) } },
      peer: { seconds in try pace(for: seconds) { _ = try plain.find(ids.next()) } })
  }

  private static func securityFind(_ options: Options, _ folder: URL) throws {
    _ = try filled(10_000, folder)
    let plain = try PlainSelect(folder: folder, items: 10_000)
    var ids = Permutation(10_000)
    try compare(
      "the same through SecItemCopyMatching, six keys, data and attributes", to: ">= 0.12 x", options,
      ours: { seconds in try pace(for: seconds) { try OurKeychain.findThroughSecurity(ids.next()) } },
      peer: { seconds in try pace(for: seconds) { _ = try plain.find(ids.next()) } })
  }

  private static func growth(_ options: Options, _ folder: URL) throws {
    print("\ngrowth of the find from 1 000 to 100 000 items, against that of the select (goal: <= 1.1 x)")
    let keychains = (try filled(1_000, folder), try filled(100_000, folder))
    let plains = (try PlainSelect(folder: folder, items: 1_000), try PlainSelect(folder: folder, items: 100_000))
    var small = Permutation(1_000)
    var large = Permutation(100_000)
    var ratios: [Double] = []
    for round in 1...options.rounds {
      let slices = max(1, Int(options.seconds))
      var ours = (0.0, 0.0)
      var peer = (0.0, 0.0)
      for _ in 0..<slices {
        ours.0 += 1 / (try rate(for: 0.5) { try keychains.0.find(small.next()) })
        ours.1 += 1 / (try rate(for: 0.5) { try keychains.1.find(large.next()) })
        peer.0 += 1 / (try rate(for: 0.5) { _ = try plains.0.find(small.next()) })
        peer.1 += 1 / (try rate(for: 0.5) { _ = try plains.1.find(large.next()) })
      }
      let growths = (ours.1 / ours.0, peer.1 / peer.0)
      ratios.append(growths.0 / growths.1)
      print(
        "  round \(round): ours grows \(rounded(growths.0)) x, the select \(rounded(growths.1)) x,",
        "ratio \(rounded(growths.0 / growths.1)), load \(load())")
      fflush(nil)
    }
    print("  median of ratios: \(rounded(median(ratios))) x")
  }

  /// A new process opens the keychain and finds one item; the measurement begins when it runs.
  private static func first(_ options: Options, _ folder: URL) throws {
    print("\nfirst find by a new process, among 100 000 items against 100 (goal: <= 3 x)")
    for items in [100, 100_000] { try filled(items, folder).database.close() }
    var ids = Permutation(100)
    var ratios: [Double] = []
    for round in 1...options.rounds {
      var times = ([Double](), [Double]())
      for _ in 0..<max(3, Int(options.seconds)) {
        let id = ids.next()
        times.0.append(try OtherProcess.time(.find, OurKeychain.path(folder, "items-100"), id))
        times.1.append(try OtherProcess.time(.find, OurKeychain.path(folder, "items-100000"), id * 1000))
      }
      let (small, large) = (median(times.0), median(times.1))
      ratios.append(large / small)
      print(
        "  round \(round): \(rounded(small * 1000)) ms among 100, \(rounded(large * 1000)) ms among 100 000,",
        "ratio \(rounded(large / small)), load \(load())")
      fflush(nil)
    }
    print("  median of ratios: \(rounded(median(ratios))) x")
  }

  /// The time of a process's next find after another process found an item here, and after it added one, against the same in
  /// another keychain: the start of any process costs the next call its caches.
  private static func look(_ options: Options, _ folder: URL) throws {
    print("\nthe next find among 10 000 items after another process's find (goal: as without one)")
    let keychain = try filled(10_000, folder)
    try filled(100, folder).database.close()
    let paths = (here: OurKeychain.path(folder, "items-10000"), there: OurKeychain.path(folder, "items-100"))
    var ids = Permutation(10_000)
    var next = 10_000
    var times: [[Double]] = [[], [], []]
    for _ in 0..<max(5, options.rounds * 5) {
      for (kind, other) in [(OtherProcess.Kind.find, paths.there), (.find, paths.here), (.add, paths.here)].enumerated()
      {
        next += 1
        _ = try OtherProcess.time(other.0, other.1, other.0 == .find ? 7 : next)
        let start = monotonicSeconds()
        try keychain.find(ids.next())
        times[kind].append(monotonicSeconds() - start)
      }
    }
    let medians = times.map(median)
    print(
      "  without one: \(rounded(medians[0] * 1e6)) us, after a find: \(rounded(medians[1] * 1e6)) us, ratio",
      "\(rounded(medians[1] / medians[0])); after an addition: \(rounded(medians[2] * 1e6)) us, ratio",
      "\(rounded(medians[2] / medians[0]))")
  }

  private static func keyring(_ options: Options, _ folder: URL) throws {
    let keychain = try filled(1_000, folder)
    var ids = Permutation(1_000)
    let found = try rate(for: options.seconds) { try keychain.find(ids.next()) }
    print("{\"measure\": \"keyring\", \"value\": \(found), \"unit\": \"finds/s\"}")
  }

  /// A keychain of so many items; made once a run.
  private static func filled(_ items: Int, _ folder: URL) throws -> OurKeychain {
    let keychain = try OurKeychain(folder: folder, name: "items-\(items)")
    if try keychain.database.status().items.values.reduce(0, +) == 0 { try keychain.fill(items) }
    return keychain
  }
}

/// Numbers below `count`, each once a turn, far from each other.
struct Permutation {
  private let count: Int
  private var current = 0

  init(_ count: Int) { self.count = count }

  mutating func next() -> Int {
    current = (current + 7919) % count
    return current
  }
}
