import Foundation
import LatchkeyKeychainModel
import Security
import Testing

/// Finds these faults in the leaf, in this order, but for those that are excused.
private struct FaultyEvaluator: TrustEvaluator {
  let refusals: [TrustRefusal]
  /// Whether it takes notice of excuses, as an evaluator must.
  var heedsExcuses = true
  var systemAnchors: [[UInt8]] { [] }

  func evaluate(_ question: TrustQuestion) -> TrustVerdict {
    for refusal in refusals where !(heedsExcuses && question.excuses.contains { $0.refusal == refusal }) {
      return .refused(
        refusal, chain: question.certificates, detail: "because of \(refusal)", of: question.certificates.first)
    }
    return .trusted(chain: question.certificates)
  }

  func evaluating<Result>(_ body: () throws -> Result) rethrows -> Result {
    try TrustEvaluatorRegistry.$replacement.withValue(.evaluator(self), operation: body)
  }
}

@Suite("Exceptions of a trust")
struct SecTrustExceptionsTests {
  private func trust(_ certificate: SecCertificate = ItemCertificates.ada, _ policies: CFTypeRef? = nil) throws
    -> SecTrust
  {
    var trust: SecTrust?
    #expect(SecTrustCreateWithCertificates(certificate, policies, &trust) == errSecSuccess)
    return try #require(trust)
  }

  private func result(_ trust: SecTrust) -> SecTrustResultType {
    var result = SecTrustResultType.invalid
    SecTrustGetTrustResult(trust, &result)
    return result
  }

  /// The exceptions of Ada's certificate with these faults.
  private func exceptions(for refusals: [TrustRefusal]) throws -> Data {
    try FaultyEvaluator(refusals: refusals).evaluating { try #require(SecTrustCopyExceptions(trust())) as Data }
  }

  /// Accepts what is wrong with `trust` now.
  private func accept(_ trust: SecTrust) throws -> Bool {
    let exceptions = try #require(SecTrustCopyExceptions(trust))
    return SecTrustSetExceptions(trust, exceptions)
  }

  @Test("Each recoverable fault of a certificate is accepted, and no other", arguments: TrustRefusal.allCases)
  func everyFault(_ refusal: TrustRefusal) throws {
    let trust = try trust()
    try FaultyEvaluator(refusals: [refusal]).evaluating {
      let before = result(trust)
      let isAccepted = try accept(trust)
      #expect(isAccepted)
      let isAcceptable = before == .recoverableTrustFailure && refusal != .tooMuch
      #expect(SecTrustEvaluateWithError(trust, nil) == isAcceptable, "\(refusal)")
      #expect(result(trust) == (isAcceptable ? .proceed : before), "\(refusal)")
    }
  }

  @Test("Only the faults that were there are accepted")
  func others() throws {
    let exceptions = try exceptions(for: [.hostMismatch, .expired]) as CFData
    for (refusals, isTrusted) in [
      ([.expired], true), ([.hostMismatch], true), ([.expired, .hostMismatch], true), ([], true),
      ([.noAnchor], false), ([.hostMismatch, .noAnchor], false), ([.expired, .notYetValid], false),
    ] as [([TrustRefusal], Bool)] {
      let trust = try trust()
      FaultyEvaluator(refusals: refusals).evaluating {
        #expect(SecTrustSetExceptions(trust, exceptions))
        #expect(SecTrustEvaluateWithError(trust, nil) == isTrusted, "\(refusals)")
      }
    }
  }

  @Test("An answer that was known is asked for anew after exceptions are set or removed")
  func reset() throws {
    let trust = try trust()
    let expired = try exceptions(for: [.expired]) as CFData
    FaultyEvaluator(refusals: [.expired]).evaluating {
      #expect(!SecTrustEvaluateWithError(trust, nil))
      #expect(SecTrustSetExceptions(trust, nil), "there were none")
      #expect(SecTrustSetExceptions(trust, expired))
      #expect(SecTrustEvaluateWithError(trust, nil))
      #expect(!SecTrustSetExceptions(trust, nil), "there were some, and Apple's answers so")
      #expect(!SecTrustEvaluateWithError(trust, nil) && result(trust) == .recoverableTrustFailure)
    }
  }

  @Test("Bytes that are no exceptions of this leaf are refused, and remove those that were set")
  func refused() throws {
    let good = try exceptions(for: [.hostMismatch, .expired])
    var odd: [Data] = [
      Data(), Data("exceptions".utf8), good + [0], Data(good.dropLast()), Data(good.dropLast(32)), good + good,
    ]
    for place in good.indices where place < 37 { odd.append(altered(good, at: place)) }
    // The codes, and the order of the two records.
    odd += [altered(good, at: 37, to: 0), altered(good, at: 37, to: 99), altered(good, at: 37, to: 4)]
    odd.append(altered(good, at: 70, to: 14))
    odd.append(good.prefix(37) + good.suffix(33) + good.dropFirst(37).prefix(33))
    odd.append(good.prefix(37) + good.suffix(33) + good.suffix(33))
    odd.append(good.prefix(37) + Data(count: 1 << 20))
    for bytes in odd {
      let trust = try trust()
      FaultyEvaluator(refusals: [.expired]).evaluating {
        #expect(SecTrustSetExceptions(trust, good as CFData))
        #expect(!SecTrustSetExceptions(trust, bytes as CFData), "\(Array(bytes.prefix(80)))")
        #expect(!SecTrustEvaluateWithError(trust, nil))
      }
    }
    #expect(!SecTrustSetExceptions(try trust(ItemCertificates.bob), good as CFData))
  }

  private func altered(_ data: Data, at place: Int, to byte: UInt8? = nil) -> Data {
    var altered = data
    altered[place] = byte ?? (data[place] ^ 1)
    return altered
  }

  @Test("An unknown revocation is accepted by itself, and not with another fault")
  func revocation() throws {
    let policies = [SecPolicyCreateBasicX509(), SecPolicyCreateRevocation(kSecRevocationRequirePositiveResponse)]
    let trust = try trust(ItemCertificates.ada, policies.compactMap { $0 } as NSArray)
    let expired = try exceptions(for: [.expired]) as CFData
    try FaultyEvaluator(refusals: []).evaluating {
      #expect(!SecTrustEvaluateWithError(trust, nil))
      #expect(SecTrustSetExceptions(trust, expired))
      #expect(!SecTrustEvaluateWithError(trust, nil))
      let isAccepted = try accept(trust)
      #expect(isAccepted)
      #expect(SecTrustEvaluateWithError(trust, nil) && result(trust) == .proceed)
    }
    FaultyEvaluator(refusals: [.expired]).evaluating {
      SecTrustSetVerifyDate(trust, Date() as NSDate)
      #expect(!SecTrustEvaluateWithError(trust, nil))
    }
  }

  @Test("An evaluator that takes no notice of excuses does not make the call run forever")
  func deafEvaluator() throws {
    let trust = try trust()
    try FaultyEvaluator(refusals: [.expired], heedsExcuses: false).evaluating {
      let isAccepted = try accept(trust)
      #expect(isAccepted)
      #expect(!SecTrustEvaluateWithError(trust, nil))
    }
  }

  @Test("Without an evaluator there are no exceptions to copy, and those that are set change nothing")
  func unimplemented() throws {
    let trust = try trust()
    let good = try exceptions(for: [.expired])
    TrustEvaluatorRegistry.$replacement.withValue(TrustEvaluatorRegistry.Choice.none) {
      #expect(SecTrustCopyExceptions(trust) == nil)
      #expect(SecTrustSetExceptions(trust, good as CFData))
      #expect(!SecTrustEvaluateWithError(trust, nil))
    }
  }
}
