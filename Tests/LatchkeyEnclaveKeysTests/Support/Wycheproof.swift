import Foundation
import LatchkeyEnclaveKeys
import Testing

/// A file of Wycheproof's cases, as Vectors/README.md says.
struct Wycheproof: Decodable {
  var source: String
  var numberOfTests: Int
  var groups: [Group]

  struct Group: Decodable {
    var key: Data?
    var sha: String?
    var curve: String?
    var tests: [Case]
  }

  struct Case: Decodable {
    var id: Int
    var result: Result
    var flags: [String]?
    var msg: Data?
    var sig: Data?
    var ct: Data?
    var label: Data?
    var `public`: Data?
    var `private`: Data?
    var shared: Data?
  }

  enum Result: String, Decodable {
    case valid, invalid, acceptable
  }

  init(_ name: String) throws {
    let file = try #require(Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Vectors"))
    self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
    try #require(groups.map(\.tests.count).reduce(0, +) == numberOfTests && numberOfTests > 0)
  }

  /// Every case with its group.
  var all: [(group: Group, test: Case)] { groups.flatMap { group in group.tests.map { (group, $0) } } }
}

extension DigestAlgorithm {
  /// Of the name that Wycheproof gives it.
  init(wycheproof name: String?) throws {
    let names: [String: DigestAlgorithm] = [
      "SHA-1": .sha1, "SHA-224": .sha224, "SHA-256": .sha256, "SHA-384": .sha384, "SHA-512": .sha512,
    ]
    self = try #require(names[name ?? ""])
  }
}

extension Curve {
  /// Of the name that Wycheproof gives it.
  init(wycheproof name: String?) throws {
    let names: [String: Curve] = ["secp256r1": .p256, "secp384r1": .p384, "secp521r1": .p521]
    self = try #require(names[name ?? ""])
  }
}
