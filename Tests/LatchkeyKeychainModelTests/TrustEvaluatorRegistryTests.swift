import LatchkeyKeychainModel
import Testing

/// Refuses every chain for one reason.
private struct Refusing: TrustEvaluator {
  let reason: TrustRefusal
  var systemAnchors: [[UInt8]] { [] }
  func evaluate(_ question: TrustQuestion) -> TrustVerdict {
    .refused(reason, chain: question.certificates, detail: "")
  }
}

/// `install` and `choose` are for the whole process. The tests only replace the evaluator.
@Suite("TrustEvaluatorRegistry") struct TrustEvaluatorRegistryTests {
  private let question = TrustQuestion(
    certificates: [[1], [2]], anchors: [], includesSystemAnchors: false, time: 0, purposes: [.basic])

  private func verdict() -> TrustVerdict? { TrustEvaluatorRegistry.evaluator?.evaluate(question) }

  @Test("In place of an evaluator there can be none") func none() {
    TrustEvaluatorRegistry.$replacement.withValue(TrustEvaluatorRegistry.Choice.none) {
      #expect(TrustEvaluatorRegistry.evaluator == nil)
    }
  }

  @Test("The replacement evaluates what it is asked") func replacement() {
    TrustEvaluatorRegistry.$replacement.withValue(.evaluator(Refusing(reason: .expired))) {
      #expect(verdict() == .refused(.expired, chain: [[1], [2]], detail: ""))
    }
  }

  @Test("The inner of two replacements counts, and the outer again after it") func nested() {
    TrustEvaluatorRegistry.$replacement.withValue(.evaluator(Refusing(reason: .expired))) {
      TrustEvaluatorRegistry.$replacement.withValue(.evaluator(Refusing(reason: .noAnchor))) {
        #expect(verdict() == .refused(.noAnchor, chain: [[1], [2]], detail: ""))
      }
      TrustEvaluatorRegistry.$replacement.withValue(TrustEvaluatorRegistry.Choice.none) { #expect(verdict() == nil) }
      #expect(verdict() == .refused(.expired, chain: [[1], [2]], detail: ""))
    }
    #expect(TrustEvaluatorRegistry.replacement == nil)
  }

  @Test("A chain that is refused is never equal to one that is trusted, and verdicts differ by reason and chain")
  func verdicts() {
    #expect(TrustVerdict.trusted(chain: [[1]]) != .trusted(chain: [[2]]))
    #expect(TrustVerdict.trusted(chain: [[1]]) != .refused(.expired, chain: [[1]], detail: ""))
    #expect(TrustVerdict.refused(.expired, chain: [], detail: "") != .refused(.notYetValid, chain: [], detail: ""))
    #expect(TrustQuestion.Purpose.server(host: nil) != .server(host: ""))
    #expect(TrustQuestion.Purpose.server(host: nil) != .client)
  }
}
