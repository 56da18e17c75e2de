import Foundation

/// Our side alone, for a profiler.
enum OnlyOurs {
  static func run(_ arguments: ArraySlice<String>, _ folder: URL) throws {
    guard arguments.count == 2, let kind = arguments.first, let count = arguments.last.flatMap(Int.init) else {
      throw BenchFailure.usage
    }
    let keychain = try OurKeychain(folder: folder, name: "ours")
    if kind == "find" { try keychain.fill(1_000) }
    let pace = try Pace {
      switch kind {
      case "add": for id in 0..<count { try keychain.add(id) }
      case "writers": try keychain.fill(count)
      case "find":
        var ids = Permutation(1_000)
        for _ in 0..<count { try keychain.find(ids.next()) }
      default: throw BenchFailure.unknownFigure(kind)
      }
      return count
    }
    print("\(kind): \(rounded(1e6 / pace.rate)) us, CPU \(rounded(pace.cpu * 1e6)) us each")
  }
}
