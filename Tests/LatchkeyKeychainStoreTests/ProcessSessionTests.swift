import Foundation
import Testing

@testable import LatchkeyKeychainModel
@testable import LatchkeyKeychainStore

/// `LatchkeyKeychainModel` declares the function that `LatchkeyKeychainStore` defines, and the linker asks for nothing but its name: whether
/// both mean the same, nobody else looks at.
@Suite("The one session of a process") struct ProcessSessionTests {
  @Test("the declaration and the definition have one name and one type") func agreement() throws {
    let declared: () throws(StoreError) -> KeychainSession = LatchkeyKeychainModel.processSession
    let defined: () throws(StoreError) -> KeychainSession = LatchkeyKeychainStore.processKeychainSession
    #expect(type(of: declared) == type(of: defined))
    let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
    func signature(_ file: String) throws -> [Substring] {
      let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      let found = try #require(text.firstMatch(of: /@_silgen_name\("([^"]+)"\)\s+package func \w+(\([^{\n]*)/))
      return [
        found.1, Substring(found.2.trimmingPrefix { $0.isWhitespace }.split(separator: " ").joined(separator: " ")),
      ]
    }
    #expect(
      try signature("LatchkeyKeychainModel/KeychainSession.swift")
        == signature("LatchkeyKeychainStore/Process/ProcessKeychain.swift"))
  }
}
