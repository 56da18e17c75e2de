import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct TestProcessTests {
  @Test("A test's program gets its three streams and no other open file") func openFiles() throws {
    // Their descriptors are not closed by exec(2).
    let others = (0..<8).map { _ in Pipe() }
    let run = try ProgramRun("/bin/sh", ["-c", "ls /proc/$$/fd; exit"])
    withExtendedLifetime(others) {}
    #expect(run.status == 0)
    #expect(Set(run.output.split(separator: "\n")).isSubset(of: ["0", "1", "2"]), "\(run.output)")
    let spawned = try SpawnedProgram("/bin/sh", ["-c", "ls /proc/$$/fd; exit"])
    defer { close(spawned.line) }
    waitpid(spawned.process, nil, 0)
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(spawned.line, &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "0\n1\n2\n")
  }

  @Test("A pipe ends with the program that writes to it, while other programs run") func pipes() throws {
    let (input, output) = (Pipe(), Pipe())
    let reader = TestProcess()
    reader.executableURL = URL(filePath: "/bin/cat")
    (reader.standardInput, reader.standardOutput) = (input, output)
    try reader.start()
    let (bystanderInput, bystander) = (Pipe(), TestProcess())
    bystander.executableURL = URL(filePath: "/bin/cat")
    (bystander.standardInput, bystander.standardOutput) = (bystanderInput, FileHandle.nullDevice)
    try bystander.start()
    try input.fileHandleForWriting.write(contentsOf: Data("text".utf8))
    try input.fileHandleForWriting.close()
    #expect(try output.fileHandleForReading.readToEnd() == Data("text".utf8))
    reader.waitUntilExit()
    #expect(reader.terminationStatus == 0)
    #expect(bystander.isRunning)
    bystander.terminate()
    bystander.waitUntilExit()
    #expect(bystander.terminationReason == .uncaughtSignal)
    #expect(bystander.terminationStatus == SIGTERM)
    #expect(!bystander.isRunning)
  }

  @Test("Its working directory and environment are those that it was given, and a missing program is an error")
  func surroundings() throws {
    let folder = try Folder()
    let run = try ProgramRun(
      "/bin/sh", ["-c", "pwd; echo $A"], folder: URL(filePath: folder.path), environment: ["A": "ü *"])
    #expect(run.output == "\(folder.path)\nü *\n")
    let process = TestProcess()
    process.executableURL = URL(filePath: "/nonexistent")
    #expect(throws: TestProcess.Failure.self) { try process.start() }
    #expect(!process.isRunning)
  }
}
