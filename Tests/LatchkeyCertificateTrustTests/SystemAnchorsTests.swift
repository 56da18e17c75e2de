import Foundation
import LatchkeyKeychainModel
import Security
import Testing

@testable import LatchkeyCertificateTrust

@Suite("The system's roots, and the evaluator's place")
struct SystemAnchorsTests {
  @Test("linking the product is enough: the evaluator is there before anything was called")
  func isInstalled() { #expect(TrustEvaluatorRegistry.evaluator is X509TrustEvaluator) }

  @Test("of a bundle all certificates are read that are such, from the first place that has one")
  func bundle() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bundle-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let roots = [TestCertificate.authority("one"), TestCertificate.authority("two")]
    func pem(_ der: [UInt8]) -> String {
      let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
      return "# a root\n-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
    }
    let text =
      pem(roots[0].der) + pem([1, 2, 3]) + "-----END CERTIFICATE-----\n" + pem(roots[1].der)
      + pem(roots[0].der).dropLast(9)
    let path = folder.appending(path: "bundle.pem").path
    try Data(text.utf8).write(to: URL(filePath: path))
    let anchors = SystemAnchors(paths: [folder.path, folder.path + "/nothing", path])
    #expect(anchors.all.map(\.der) == roots.map(\.der))
    #expect(anchors.all.map(\.der) == roots.map(\.der))
    let leaf = TestCertificate.make("leaf", by: roots[1])
    let chain = try #require(ChainCertificate(der: leaf.der))
    #expect(anchors.certificates(leadingFrom: [chain]).map(\.der) == [roots[1].der])
    #expect(SystemAnchors(paths: []).all.isEmpty)
  }

  @Test("a root of this system is trusted with the system's, and not where the caller's count alone")
  func ofThisSystem() throws {
    var anchors: CFArray?
    let status = SecTrustCopyAnchorCertificates(&anchors)
    if status == errSecTrustNotAvailable { return }
    #expect(status == errSecSuccess)
    let root = try #require((anchors as? [SecCertificate])?.first)
    var made: SecTrust?
    #expect(SecTrustCreateWithCertificates(root, nil, &made) == errSecSuccess)
    let trust = try #require(made)
    let end = try #require(SecCertificateCopyNotValidAfterDate(root))
    SecTrustSetVerifyDate(trust, end)
    #expect(SecTrustEvaluateWithError(trust, nil))
    SecTrustSetAnchorCertificatesOnly(trust, true)
    var error: CFError?
    #expect(!SecTrustEvaluateWithError(trust, &error))
    #expect(error.map(CFErrorGetCode) == Int(errSecNotTrusted))
    SecTrustSetAnchorCertificates(trust, [TestCertificate.authority("other").object] as NSArray)
    #expect(!SecTrustEvaluateWithError(trust, nil))
    SecTrustSetAnchorCertificatesOnly(trust, false)
    #expect(SecTrustEvaluateWithError(trust, nil))
    SecTrustSetAnchorCertificates(trust, nil)
    #expect(SecTrustEvaluateWithError(trust, nil))
  }

  @Test("Evaluations in more tasks than threads do not block each other", .timeLimit(.minutes(1)))
  func manyTasks() async {
    let root = TestCertificate.authority("root")
    let lower = TestCertificate.authority("lower", by: root)
    let leaf = TestCertificate.make("leaf", by: lower)
    let trusted = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<200 {
        group.addTask { Verdict(leaf, [lower], anchors: [root]).status == errSecSuccess }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(trusted == 200)
  }
}
