import Combine
import Compression
import Foundation
import Testing
import UIKit

struct AppTests {
  @Test("A vault that is written for iOS seals and opens, and refuses what was changed")
  func vault() throws {
    let vault = try Vault(password: "hunter2", salt: Data("salt".utf8))
    let secret = Data("a secret of several blocks' length".utf8)
    let sealed = try vault.seal(secret)
    #expect(sealed.count == 16 + 48)
    #expect(try vault.open(sealed) == secret)
    #expect(throws: SecretError.self) { try vault.open(sealed.dropLast()) }
    #expect(throws: SecretError.self) { try vault.open(sealed.prefix(16)) }
    #expect(throws: SecretError.self) { try Vault(password: "a", salt: Data([1]), rounds: 0) }
    #expect(secret.sha256.count == 32 && secret.hmac(key: vault.key).count == 64)
  }

  @Test("A scanner that is written for iOS merges, publishes, and stops in the background")
  func scanner() throws {
    let (local, remote) = (PassthroughSubject<String, Never>(), PassthroughSubject<String, Never>())
    let scanner = BackgroundScanner(local: local.eraseToAnyPublisher(), remote: remote.eraseToAnyPublisher())
    local.send("lamp")
    remote.send("lamp")
    remote.send("lock")
    #expect(scanner.found == ["lamp", "lock"])
    let report = try #require(scanner.report())
    var text = [UInt8](repeating: 0, count: 64)
    let length = report.withUnsafeBytes {
      compression_decode_buffer(
        &text, 64, $0.bindMemory(to: UInt8.self).baseAddress!, report.count, nil, COMPRESSION_ZLIB)
    }
    #expect(String(decoding: text[..<length], as: UTF8.self) == "lamp\nlock")
    NotificationCenter.default.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
    local.send("door")
    #expect(scanner.found == ["lamp", "lock"])
  }

  @Test("A background task begins")
  @MainActor func task() {
    let scanner = BackgroundScanner(local: Empty().eraseToAnyPublisher(), remote: Empty().eraseToAnyPublisher())
    scanner.beginTask()
    #expect(scanner.report() != nil)
  }
}
