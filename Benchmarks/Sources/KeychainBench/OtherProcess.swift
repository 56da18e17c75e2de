import Foundation

/// A process of its own that opens a keychain and finds or adds one item in it: this program again, as
/// `probe find|add PATH ID`.
enum OtherProcess {
  enum Kind: String { case find, add }

  /// The seconds for opening, and for finding or adding.
  static func time(_ kind: Kind, _ path: String, _ id: Int) throws -> Double {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["probe", kind.rawValue, path, "\(id)"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let printed = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0, let seconds = Double(String(decoding: printed, as: UTF8.self)) else {
      throw BenchFailure.wrongResult("the probe")
    }
    return seconds
  }

  /// What the other process does.
  static func run() throws {
    let arguments = CommandLine.arguments
    guard let kind = Kind(rawValue: arguments[2]), let id = Int(arguments[4]) else { throw BenchFailure.usage }
    let start = monotonicSeconds()
    let keychain = try OurKeychain(path: arguments[3])
    switch kind {
    case .find: try keychain.find(id)
    case .add: try keychain.add(id)
    }
    print(monotonicSeconds() - start, terminator: "")
  }
}
