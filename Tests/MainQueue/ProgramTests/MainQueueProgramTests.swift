import Foundation
import Testing

/// Programs whose main thread never returns are run as programs.
@Test(.timeLimit(.minutes(5)), arguments: ["main-queue-run-loop", "main-queue-dispatch-main"])
func managersWithoutAQueueWork(program: String) throws {
  let process = Process()
  process.executableURL = try #require(builtProducts).appending(path: program)
  let output = Pipe()
  process.standardOutput = output
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  #expect(text == "main\n")
  #expect(process.terminationStatus == 0)
}

/// Where the build put the tests' bundle, and the programs beside it.
private var builtProducts: URL? {
  CommandLine.arguments.map { URL(filePath: $0) }.first { $0.pathExtension == "xctest" }?.deletingLastPathComponent()
}
