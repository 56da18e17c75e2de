import LatchkeyKeychainModel
import Security
import Testing

@testable import LatchkeyCertificateTrust

/// The choice is the whole process's, so each test runs in a process of its own.
@Suite("How a process evaluates chains")
struct TrustEvaluationTests {
  @Test("Without a choice the linked evaluator evaluates, and a choice replaces it at once")
  func choiceWins() async {
    await #expect(processExitsWith: .success) {
      let root = TestCertificate.authority("root")
      let leaf = TestCertificate.make("leaf", by: root)
      precondition(Verdict(leaf, [], anchors: [root]).status == errSecSuccess)
      TrustEvaluation.use(.none)
      precondition(TrustEvaluatorRegistry.evaluator == nil)
      precondition(Verdict(leaf, [], anchors: [root]).status == errSecUnimplemented)
      TrustEvaluation.use(.x509)
      precondition(Verdict(leaf, [], anchors: [root]).status == errSecSuccess)
      precondition(Verdict(TestCertificate.make("alien"), [], anchors: [root]).status != errSecSuccess)
    }
  }

  @Test("A choice wins over an evaluator that is installed after it")
  func installedLater() async {
    await #expect(processExitsWith: .success) {
      TrustEvaluation.use(.none)
      TrustEvaluatorRegistry.install(X509TrustEvaluator())
      precondition(TrustEvaluatorRegistry.evaluator == nil)
    }
  }

  @Test("Threads may choose and evaluate at once: each evaluation sees one method, never a mixture")
  func concurrentChoices() async {
    await #expect(processExitsWith: .success) {
      let root = TestCertificate.authority("root")
      let leaf = TestCertificate.make("leaf", by: root)
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            if number.isMultiple(of: 4) { TrustEvaluation.use(number.isMultiple(of: 8) ? .x509 : .none) }
            let status = Verdict(leaf, [], anchors: [root]).status
            precondition(status == errSecSuccess || status == errSecUnimplemented)
          }
        }
      }
    }
  }

  @Test("A test's own replacement wins over the program's choice, and ends with the test")
  func replacement() async {
    await #expect(processExitsWith: .success) {
      TrustEvaluation.use(.none)
      TrustEvaluatorRegistry.$replacement.withValue(.evaluator(X509TrustEvaluator())) {
        precondition(TrustEvaluatorRegistry.evaluator is X509TrustEvaluator)
      }
      precondition(TrustEvaluatorRegistry.evaluator == nil)
    }
  }
}
