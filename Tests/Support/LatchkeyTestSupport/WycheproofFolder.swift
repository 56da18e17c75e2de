import Foundation
import LatchkeyByteCoding
package import Testing

/// Files of Wycheproof (https://github.com/C2SP/wycheproof, `testvectors_v1`), which are not part of this project:
/// `Tests/Interop/wycheproof` passes their folder in LATCHKEY_WYCHEPROOF.
package struct WycheproofFolder: Decodable {
  package let numberOfTests: Int
  package let testGroups: [Group]

  package struct Group: Decodable {
    package let keySize: Int?
    package let tagSize: Int?
    package let publicKey: PublicKey?
    package let tests: [Case]
  }

  package struct PublicKey: Decodable {
    package let uncompressed: Hex
  }

  package struct Case: Decodable {
    package let tcId: Int
    package let result: String
    package let key: Hex?
    package let iv: Hex?
    package let msg: Hex?
    package let ct: Hex?
    package let tag: Hex?
    package let sig: Hex?
    package let password: Hex?
    package let salt: Hex?
    package let iterationCount: Int?
    package let dkLen: Int?
    package let dk: Hex?
  }

  /// Bytes that are hexadecimal digits in JSON.
  package struct Hex: Decodable {
    package let bytes: [UInt8]

    package init(from decoder: any Decoder) throws {
      bytes = try Hexadecimal.decode(decoder.singleValueContainer().decode(String.self))
    }
  }

  package static let path = ProcessInfo.processInfo.environment["LATCHKEY_WYCHEPROOF"]
  package static let why: Comment = "Tests/Interop/wycheproof sets LATCHKEY_WYCHEPROOF"

  /// Runs every case of a file, and prints how many there were. A file that is missing is named.
  ///
  /// - Parameter isValid: whether a case is accepted as valid; nil for one that does not concern this project.
  package static func hold(_ name: String, to isValid: (Group, Case) throws -> Bool?) throws {
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
        guard let isAccepted = try isValid(group, test) else {
          counts["ignored", default: 0] += 1
          continue
        }
        counts[test.result, default: 0] += 1
        // An "acceptable" case may be accepted or refused.
        if test.result != "acceptable" {
          #expect(isAccepted == (test.result == "valid"), "\(name) \(test.tcId) is \(test.result)")
        }
      }
    }
    #expect(total == file.numberOfTests && total > 0)
    let text = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    print("wycheproof: \(name): \(text)")
  }
}
