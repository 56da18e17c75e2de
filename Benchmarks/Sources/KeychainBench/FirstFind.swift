import Foundation

/// A process of its own that opens a keychain and finds one item in it: this program again, as `probe PATH ID`.
enum FirstFind {
  /// How many seconds opening and finding took.
  static func time(_ path: String, _ id: Int) throws -> Double {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["probe", path, "\(id)"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let said = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0, let seconds = Double(String(decoding: said, as: UTF8.self)) else {
      throw BenchFailure.wrongResult("the probe")
    }
    return seconds
  }

  /// What the other process does.
  static func probe() throws {
    guard let id = Int(CommandLine.arguments[3]) else { throw BenchFailure.usage }
    let start = monotonicSeconds()
    let keychain = try OurKeychain(path: CommandLine.arguments[2])
    try keychain.find(id)
    print(monotonicSeconds() - start, terminator: "")
  }
}
