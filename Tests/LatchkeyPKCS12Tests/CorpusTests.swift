import Foundation
import LatchkeyPKCS12
import Testing

/// Files that others have written, and what others find in them.
@Suite struct CorpusTests {
  @Test(
    "Each file of pyca's vectors has the certificates, names and key that cryptography finds",
    arguments: try files("pyca"))
  func pyca(_ expected: ExpectedFile) throws { try check(expected, in: Fixtures.url("pyca")) }

  @Test(
    "Files of NIST's PKITS have the certificates and keys that cryptography or OpenSSL finds",
    arguments: try files("pkits"))
  func pkits(_ expected: ExpectedFile) throws { try check(expected, in: Fixtures.url("pkits")) }

  @Test(
    "Each file below LATCHKEY_PKCS12_FOLDER has what expected.json there says",
    .enabled(if: corpus != nil, "Tests/Interop/pkcs12_vectors sets LATCHKEY_PKCS12_FOLDER"))
  func folder() throws {
    let folder = URL(fileURLWithPath: try #require(Self.corpus))
    let expectations = try ExpectedFile.all(in: folder)
    var right = 0
    for expected in expectations {
      do {
        try check(expected, in: folder)
        right += 1
      } catch let error as PKCS12Error {
        Issue.record(error, "\(expected.file) is refused")
      }
    }
    print("pkcs12: \(right) of \(expectations.count) files opened")
  }

  private func check(_ expected: ExpectedFile, in folder: URL) throws {
    let bytes = try Data(contentsOf: folder.appendingPathComponent(expected.file))
    let read = try PKCS12File(reading: bytes, password: expected.password)
    let difference = expected.difference(from: read)
    #expect(difference == nil, "\(expected.file): \(difference ?? "")")
  }

  private static func files(_ folder: String) throws -> [ExpectedFile] {
    try ExpectedFile.all(in: Fixtures.url(folder))
  }

  private static var corpus: String? { ProcessInfo.processInfo.environment["LATCHKEY_PKCS12_FOLDER"] }
}
