import Crypto
import Foundation
import LatchkeyAgeEncryption
import Testing

/// Debian's `age` opens what is made here, and what it makes is opened here.
@Suite struct DebianAgeTests {
  private static let program = ["/usr/bin/age", "/usr/local/bin/age"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  private let identity = AgeIdentity(Curve25519.KeyAgreement.PrivateKey())

  @Test(.enabled(if: program != nil, "age is not installed (Debian: age)"))
  func bothDirectionsByKey() throws {
    let folder = try TestFolder()
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let made = try AgeEncryptor.encrypt(bytes, for: .recipients([identity.recipient])) { count in
      (0..<count).map { _ in UInt8.random(in: 0...255) }
    }
    let key = folder.file("key", Array((identity.text + "\n").utf8))
    let file = folder.file("made.age", made)
    #expect(try Self.run(["-d", "-i", key, file]) == bytes)
    let armored = folder.file("armored.age", Array(AgeArmor.encode(made).utf8))
    #expect(try Self.run(["-d", "-i", key, armored]) == bytes)

    let plain = folder.file("plain", bytes)
    let theirs = try Self.run(["-r", identity.recipient.text, plain])
    #expect(try AgeDecryptor.decrypt(theirs, .identities([identity])) == bytes)
    let theirsArmored = try Self.run(["-a", "-r", identity.recipient.text, plain])
    #expect(try AgeDecryptor.decrypt(theirsArmored, .identities([identity])) == bytes)
  }

  private static func run(_ arguments: [String]) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(program))
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return [UInt8](bytes)
  }
}

/// A folder that goes with the test.
private final class TestFolder {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("age-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func file(_ name: String, _ bytes: [UInt8]) -> String {
    let file = url.appendingPathComponent(name)
    _ = FileManager.default.createFile(atPath: file.path, contents: Data(bytes))
    return file.path
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
