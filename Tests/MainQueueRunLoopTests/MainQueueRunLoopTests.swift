import Foundation
import Testing

/// `queue: nil` in a program that runs `RunLoop.main`.
@Suite(.timeLimit(.minutes(1)))
struct MainQueueRunLoopTests {
  @Test func managersOnTheMainQueueWorkInAProgram() async throws {
    let program = try #require(Bundle.main.executableURL).deletingLastPathComponent()
      .appendingPathComponent("RunLoopProgram")
    let process = Process()
    process.executableURL = program
    let output = Pipe()
    process.standardOutput = output
    let status = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    #expect(status == 0)
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(text == "hello\n")
  }
}
