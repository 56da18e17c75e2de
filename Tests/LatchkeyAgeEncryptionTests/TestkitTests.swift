import Crypto
import Foundation
import LatchkeyAgeEncryption
import Testing

/// The public test kit of the age format (C2SP/CCTV, `age/testdata`), through a folder named by `LATCHKEY_AGE_TESTKIT`: the files are
/// not in the project, and without the folder the test says so.
@Suite struct TestkitTests {
  private static let folder = ProcessInfo.processInfo.environment["LATCHKEY_AGE_TESTKIT"]

  @Test(
    "Every vector decrypts as it says",
    .enabled(if: folder != nil, "LATCHKEY_AGE_TESTKIT names no folder with the age test kit"))
  func everyVectorDecryptsAsItSays() throws {
    let folder = URL(fileURLWithPath: try #require(Self.folder))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    var verified = 0
    for name in names where !name.hasPrefix(".") {
      let vector = try Vector(try Data(contentsOf: folder.appendingPathComponent(name)))
      // Compressed vectors, and recipient types that this format does not know, are passed over.
      guard let vector, vector.isSupported else { continue }
      verified += 1
      #expect(vector.outcome() == vector.expect, "\(name)")
    }
    #expect(verified >= 80)
  }
}

/// One file of the kit: keys and values, an empty line, the age file.
private struct Vector {
  var expect = ""
  var payload: String?
  var identities: [String] = []
  var passphrases: [String] = []
  var isArmored = false
  var isCompressed = false
  var file: [UInt8] = []

  init?(_ data: Data) throws {
    guard let blank = data.range(of: Data("\n\n".utf8)) else { return nil }
    for line in String(decoding: data[..<blank.lowerBound], as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { return nil }
      switch parts[0] {
      case "expect": expect = parts[1]
      case "payload": payload = parts[1]
      case "identity": identities.append(parts[1])
      case "passphrase": passphrases.append(parts[1])
      case "armored": isArmored = parts[1] == "yes"
      case "compressed": isCompressed = true
      case "file key", "comment": break
      default: return nil
      }
    }
    file = Array(data[blank.upperBound...])
  }

  var isSupported: Bool {
    !isCompressed && identities.allSatisfy { $0.hasPrefix("AGE-SECRET-KEY-1") } && passphrases.count <= 1
  }

  func outcome() -> String {
    do throws(AgeError) {
      let bytes = isArmored ? try AgeArmor.decode(file) : file
      var decryptor = AgeDecryptor(try unlock())
      var clear: [UInt8] = []
      // In pieces of an odd size, as a stream comes.
      for start in stride(from: 0, to: bytes.count, by: 10007) {
        clear += try decryptor.update(bytes[start..<min(start + 10007, bytes.count)])
      }
      clear += try decryptor.finish()
      let digest = SHA256.hash(data: clear).map { String(format: "%02x", $0) }.joined()
      return payload == digest ? "success" : "other payload"
    } catch {
      return switch error {
      case .notAnAgeFile, .malformedHeader, .workFactor: "header failure"
      case .noMatch: "no match"
      case .headerNotAuthentic: "HMAC failure"
      case .malformedPayload: "payload failure"
      case .malformedArmor: "armor failure"
      default: "\(error)"
      }
    }
  }

  private func unlock() throws(AgeError) -> AgeUnlock {
    if let passphrase = passphrases.first { return .passphrase(Array(passphrase.utf8)) }
    var keys: [AgeIdentity] = []
    for text in identities { keys.append(try AgeIdentity(text)) }
    return .identities(keys)
  }
}
