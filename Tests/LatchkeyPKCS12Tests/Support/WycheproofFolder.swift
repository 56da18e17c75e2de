import Foundation
import LatchkeyByteCoding
import Testing

/// Files of Wycheproof (https://github.com/C2SP/wycheproof, `testvectors_v1`), which lie in no folder of this project:
/// `Tests/Interop/wycheproof` names the folder in LATCHKEY_WYCHEPROOF.
struct WycheproofFolder: Decodable {
  let numberOfTests: Int
  let testGroups: [Group]

  struct Group: Decodable {
    let keySize: Int?
    let tagSize: Int?
    let publicKey: PublicKey?
    let tests: [Case]
  }

  struct PublicKey: Decodable {
    let uncompressed: Hex
  }

  struct Case: Decodable {
    let tcId: Int
    let result: String
    let key: Hex?
    let iv: Hex?
    let msg: Hex?
    let ct: Hex?
    let tag: Hex?
    let sig: Hex?
    let password: Hex?
    let salt: Hex?
    let iterationCount: Int?
    let dkLen: Int?
    let dk: Hex?
  }

  /// Bytes that are hexadecimal digits in JSON.
  struct Hex: Decodable {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
      bytes = try Hexadecimal.decode(decoder.singleValueContainer().decode(String.self))
    }
  }

  static let path = ProcessInfo.processInfo.environment["LATCHKEY_WYCHEPROOF"]
  static let why: Comment = "Tests/Interop/wycheproof sets LATCHKEY_WYCHEPROOF"

  /// Judges every case of a file, and says how many there were; a file that is not there is said to be missing.
  ///
  /// - Parameter judge: whether a case is taken as valid; nil for one that is not this project's.
  static func hold(_ name: String, to judge: (Group, Case) throws -> Bool?) throws {
    let url = URL(fileURLWithPath: try #require(path)).appendingPathComponent(name + "_test.json")
    guard let data = try? Data(contentsOf: url) else {
      print("wycheproof: \(name) is not in the folder")
      return
    }
    let file = try JSONDecoder().decode(WycheproofFolder.self, from: data)
    var (counts, total) = ([String: Int](), 0)
    for group in file.testGroups {
      for test in group.tests {
        total += 1
        guard let isValid = try judge(group, test) else {
          counts["passed over", default: 0] += 1
          continue
        }
        counts[test.result, default: 0] += 1
        // What is merely acceptable may be taken or not.
        if test.result != "acceptable" {
          #expect(isValid == (test.result == "valid"), "\(name) \(test.tcId) is \(test.result)")
        }
      }
    }
    #expect(total == file.numberOfTests && total > 0)
    let text = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    print("wycheproof: \(name): \(text)")
  }
}
