import Foundation
import LatchkeyKeychainModel
import Security
import Testing

/// Returns the verdict that a test sets, and records its questions.
private final class RecordingEvaluator: TrustEvaluator, @unchecked Sendable {
  private let lock = NSLock()
  private let verdict: @Sendable (TrustQuestion) -> TrustVerdict
  private var asked: [TrustQuestion] = []

  init(_ verdict: @escaping @Sendable (TrustQuestion) -> TrustVerdict = { .trusted(chain: $0.certificates) }) {
    self.verdict = verdict
  }

  var questions: [TrustQuestion] { lock.withLock { asked } }
  var systemAnchors: [[UInt8]] { [] }

  func evaluate(_ question: TrustQuestion) -> TrustVerdict {
    lock.withLock { asked.append(question) }
    return verdict(question)
  }

  /// Runs `body` with this as the program's evaluator.
  func evaluating<Result>(_ body: () throws -> Result) rethrows -> Result {
    try TrustEvaluatorRegistry.$replacement.withValue(.evaluator(self), operation: body)
  }
}

@Suite("Trust")
struct SecTrustTests {
  private let ada = ItemCertificates.ada
  private let authority = ItemCertificates.authority

  private func trust(_ certificates: CFTypeRef, _ policies: CFTypeRef? = nil) throws -> SecTrust {
    var trust: SecTrust?
    #expect(SecTrustCreateWithCertificates(certificates, policies, &trust) == errSecSuccess)
    return try #require(trust)
  }

  @Test(
    "certificates and policies are one, or an array of nothing else; anything else is errSecParam and makes nothing")
  func creation() throws {
    let policy = SecPolicyCreateSSL(true, "example.org")
    for certificates in [ada, [ada] as NSArray, [ada, authority] as NSArray] as [CFTypeRef] {
      for policies in [nil, policy, [policy] as NSArray, [policy, SecPolicyCreateBasicX509()] as NSArray]
        as [CFTypeRef?]
      {
        _ = try trust(certificates, policies)
      }
    }
    var made: SecTrust?
    for odd in [[] as NSArray, [ada, policy] as NSArray, ["a"] as NSArray, "a" as NSString, policy] as [CFTypeRef] {
      #expect(SecTrustCreateWithCertificates(odd, nil, &made) == errSecParam)
    }
    for odd in [[] as NSArray, [ada, policy] as NSArray, "a" as NSString, ada] as [CFTypeRef] {
      #expect(SecTrustCreateWithCertificates(ada, odd, &made) == errSecParam)
      #expect(SecTrustSetPolicies(try trust(ada), odd) == errSecParam)
    }
    #expect(made == nil)
  }

  @Test("The evaluator receives the values that are set")
  func question() throws {
    let evaluator = RecordingEvaluator()
    let trust = try trust([ada, authority] as NSArray, SecPolicyCreateSSL(true, "example.org"))
    let moment = Date(timeIntervalSince1970: 1_893_456_000.75)
    #expect(SecTrustSetVerifyDate(trust, moment as NSDate) == errSecSuccess)
    #expect(SecTrustGetVerifyTime(trust) == moment.timeIntervalSinceReferenceDate)
    #expect(evaluator.evaluating { SecTrustEvaluateWithError(trust, nil) })
    var question = TrustQuestion(
      certificates: [ada.der, authority.der], anchors: [], includesSystemAnchors: true, time: 1_893_456_000,
      purposes: [.server(host: "example.org")])
    func check(_ line: Int = #line) {
      let asked = evaluator.questions.last
      #expect(asked?.certificates == question.certificates && asked?.anchors == question.anchors, "line \(line)")
      #expect(
        asked?.includesSystemAnchors == question.includesSystemAnchors && asked?.time == question.time, "line \(line)")
      #expect(asked?.purposes == question.purposes, "line \(line)")
    }
    check()
    #expect(SecTrustSetAnchorCertificates(trust, [authority] as NSArray) == errSecSuccess)
    #expect(evaluator.evaluating { SecTrustEvaluateWithError(trust, nil) })
    question.anchors = [authority.der]
    question.includesSystemAnchors = false
    check()
    #expect(SecTrustSetAnchorCertificatesOnly(trust, false) == errSecSuccess)
    #expect(
      SecTrustSetPolicies(trust, [SecPolicyCreateSSL(false, nil), SecPolicyCreateBasicX509()] as NSArray)
        == errSecSuccess)
    #expect(evaluator.evaluating { SecTrustEvaluateWithError(trust, nil) })
    question.includesSystemAnchors = true
    question.purposes = [.client, .basic]
    check()
    #expect(SecTrustSetAnchorCertificates(trust, nil) == errSecSuccess)
    #expect(SecTrustSetVerifyDate(trust, Date.distantPast as NSDate) == errSecSuccess)
    #expect(evaluator.evaluating { SecTrustEvaluateWithError(trust, nil) })
    question.anchors = []
    question.time = Int64(Date.distantPast.timeIntervalSince1970)
    check()
    for odd in [["a"] as NSArray, [ada, "a"] as NSArray] {
      #expect(SecTrustSetAnchorCertificates(trust, odd) == errSecParam)
    }
    for odd in [Double.nan, .infinity] {
      #expect(SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceReferenceDate: odd)) == errSecParam)
    }
    // 1e300 is a date, and beyond every clock.
    SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceReferenceDate: 1e300))
    #expect(evaluator.evaluating { SecTrustEvaluateWithError(trust, nil) })
    #expect(evaluator.questions.last?.time == .max)
  }

  @Test("The system's roots count again after the anchors are removed, and the getters return the set values")
  func getters() throws {
    let trust = try trust(ada)
    var anchors: CFArray? = [] as NSArray
    #expect(SecTrustCopyCustomAnchorCertificates(trust, &anchors) == errSecSuccess && anchors == nil)
    SecTrustSetAnchorCertificates(trust, [authority] as NSArray)
    #expect(SecTrustCopyCustomAnchorCertificates(trust, &anchors) == errSecSuccess)
    #expect(anchors as? [SecCertificate] == [authority])
    var policies: CFArray?
    #expect(SecTrustCopyPolicies(trust, &policies) == errSecSuccess)
    #expect(policies as? [SecPolicy] == [SecPolicyCreateBasicX509()])
    var mayFetch = true
    #expect(SecTrustGetNetworkFetchAllowed(trust, &mayFetch) == errSecSuccess && !mayFetch)
    SecTrustSetNetworkFetchAllowed(trust, true)
    #expect(SecTrustGetNetworkFetchAllowed(trust, &mayFetch) == errSecSuccess && mayFetch)
    #expect(SecTrustCopyKey(trust) == SecCertificateCopyKey(ada))
    // The moment is fixed by the first who asks.
    let time = SecTrustGetVerifyTime(trust)
    #expect(abs(time - Date().timeIntervalSinceReferenceDate) < 60 && SecTrustGetVerifyTime(trust) == time)
  }

  @Test("A trust is evaluated once, and again after every change")
  func evaluatedOnce() throws {
    let evaluator = RecordingEvaluator()
    let trust = try trust(ada)
    evaluator.evaluating {
      for _ in 0..<3 { SecTrustEvaluateWithError(trust, nil) }
      SecTrustGetCertificateCount(trust)
      #expect(evaluator.questions.count == 1)
      SecTrustSetAnchorCertificatesOnly(trust, true)
      SecTrustEvaluateWithError(trust, nil)
      #expect(evaluator.questions.count == 2)
    }
  }

  @Test(
    "every refusal has its status, its result and its text",
    arguments: [
      (.hostMismatch, -67602, .recoverableTrustFailure), (.expired, -67818, .recoverableTrustFailure),
      (.notYetValid, -67819, .recoverableTrustFailure), (.weakKey, -67735, .fatalTrustFailure),
      (.weakSignature, -67815, .fatalTrustFailure), (.keyUsage, -67608, .recoverableTrustFailure),
      (.usage, -67609, .recoverableTrustFailure), (.noAuthority, -67605, .recoverableTrustFailure),
      (.pathLength, -67611, .recoverableTrustFailure), (.noAnchor, -67843, .recoverableTrustFailure),
      (.noIssuer, -25318, .recoverableTrustFailure), (.criticalExtension, -67603, .recoverableTrustFailure),
      (.nameConstraints, -67689, .recoverableTrustFailure), (.tooMuch, -67611, .recoverableTrustFailure),
      (.invalid, -67690, .fatalTrustFailure),
    ] as [(TrustRefusal, Int, SecTrustResultType)])
  func refusals(refusal: TrustRefusal, status: Int, result: SecTrustResultType) throws {
    let chain = [ada.der, authority.der]
    let evaluator = RecordingEvaluator { _ in .refused(refusal, chain: chain, detail: "because of \(refusal)") }
    let trust = try trust(ada)
    try evaluator.evaluating {
      var error: CFError?
      #expect(!SecTrustEvaluateWithError(trust, &error))
      let reported = try #require(error)
      #expect(CFErrorGetCode(reported) == status && reported.domain == NSOSStatusErrorDomain)
      #expect(reported.localizedDescription == "because of \(refusal)")
      var answer = SecTrustResultType.invalid
      #expect(SecTrustGetTrustResult(trust, &answer) == errSecSuccess && answer == result)
      #expect(SecTrustCopyCertificateChain(trust) as? [SecCertificate] == [ada, authority])
      let results = SecTrustCopyResult(trust)
      #expect(results?.object(forKey: kSecTrustResultValue) as? Int == Int(result.rawValue))
      #expect(results?.object(forKey: kSecTrustEvaluationDate) is NSDate)
    }
  }

  @Test("A success clears the earlier error, and the older calls agree")
  @available(*, deprecated)
  func success() throws {
    let evaluator = RecordingEvaluator { _ in
      .trusted(chain: [ItemCertificates.ada.der, ItemCertificates.authority.der])
    }
    let trust = try trust(ada)
    evaluator.evaluating {
      var error: CFError? = NSError(domain: "before", code: 1)
      #expect(SecTrustEvaluateWithError(trust, &error) && error == nil)
      var result = SecTrustResultType.invalid
      #expect(SecTrustEvaluate(trust, &result) == errSecSuccess && result == .unspecified)
      #expect(SecTrustGetCertificateCount(trust) == 2)
      #expect(SecTrustGetCertificateAtIndex(trust, 0) == ada && SecTrustGetCertificateAtIndex(trust, 1) == authority)
      #expect(SecTrustGetCertificateAtIndex(trust, 2) == nil && SecTrustGetCertificateAtIndex(trust, -1) == nil)
      #expect(SecTrustCopyPublicKey(trust) == SecTrustCopyKey(trust))
      let properties = SecTrustCopyProperties(trust) as? [[String: String]]
      #expect(properties == [["title": "Ada Lovelåce"], ["title": "Latchkey Test Authority"]])
    }
  }

  @Test("revocation that must be known is not, and revocation that need not be is not asked for")
  func revocation() throws {
    let evaluator = RecordingEvaluator()
    let strict = try #require(
      SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod | kSecRevocationRequirePositiveResponse))
    let loose = try #require(SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod))
    let strictly = try trust(ada, [SecPolicyCreateBasicX509(), strict] as NSArray)
    let loosely = try trust(ada, [SecPolicyCreateBasicX509(), loose] as NSArray)
    evaluator.evaluating {
      var error: CFError?
      #expect(!SecTrustEvaluateWithError(strictly, &error))
      #expect(error?.code == Int(errSecIncompleteCertRevocationCheck))
      #expect(SecTrustEvaluateWithError(loosely, nil))
    }
    #expect(evaluator.questions.allSatisfy { $0.purposes == [.basic] })
  }

  @Test("where no evaluator is linked: errSecUnimplemented, a text that says what to link, and the leaf alone")
  @available(*, deprecated)
  func unimplemented() throws {
    let trust = try trust([ada, authority] as NSArray)
    try TrustEvaluatorRegistry.$replacement.withValue(TrustEvaluatorRegistry.Choice.none) {
      var error: CFError?
      #expect(!SecTrustEvaluateWithError(trust, &error))
      let reported = try #require(error)
      #expect(CFErrorGetCode(reported) == Int(errSecUnimplemented))
      #expect(reported.localizedDescription.contains("LatchkeyCertificateTrust"))
      var result = SecTrustResultType.invalid
      #expect(SecTrustEvaluate(trust, &result) == errSecUnimplemented && result == .otherError)
      #expect(SecTrustGetTrustResult(trust, &result) == errSecUnimplemented)
      #expect(SecTrustCopyCertificateChain(trust) as? [SecCertificate] == [ada])
      #expect(SecTrustGetCertificateCount(trust) == 1 && SecTrustCopyKey(trust) != nil)
      var anchors: CFArray?
      #expect(SecTrustCopyAnchorCertificates(&anchors) == errSecUnimplemented && anchors == nil)
    }
    // The evaluator's absence is not remembered.
    #expect(RecordingEvaluator().evaluating { SecTrustEvaluateWithError(trust, nil) })
  }

  @Test("the asynchronous calls answer on the queue they are given")
  @available(*, deprecated)
  func asynchronous() async throws {
    let queue = DispatchQueue(label: "answers")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let trust = try trust(ada)
    let evaluator = RecordingEvaluator { _ in .refused(.expired, chain: [], detail: "expired") }
    let answer: (Bool, Int?, Bool) = await withCheckedContinuation { continuation in
      evaluator.evaluating {
        let status = SecTrustEvaluateAsyncWithError(trust, queue) { same, isTrusted, error in
          let isThere = DispatchQueue.getSpecific(key: key) == true && same == trust
          continuation.resume(returning: (isTrusted, error?.code, isThere))
        }
        #expect(status == errSecSuccess)
      }
    }
    #expect(answer == (false, Int(errSecCertificateExpired), true))
    let result: SecTrustResultType = await withCheckedContinuation { continuation in
      #expect(SecTrustEvaluateAsync(trust, queue) { continuation.resume(returning: $1) } == errSecSuccess)
    }
    #expect(result == .recoverableTrustFailure)
  }

  @Test("type identifiers, equality and descriptions")
  func identity() throws {
    let one = try trust(ada)
    let two = try trust(ada)
    #expect(one == one && one != two && CFEqual(one, one) && !CFEqual(one, two))
    #expect(CFGetTypeID(one) == SecTrustGetTypeID() && SecTrustGetTypeID() != SecPolicyGetTypeID())
    #expect("\(one)".contains("Ada") && Mirror(reflecting: one).children.isEmpty)
    let known = [SecAccessControlGetTypeID(), SecCertificateGetTypeID(), SecKeyGetTypeID(), SecIdentityGetTypeID()]
    #expect(!known.contains(SecTrustGetTypeID()) && !known.contains(SecPolicyGetTypeID()))
  }

  @Test("changes and evaluations on many threads at once end with what was set last")
  func threads() throws {
    let trust = try trust(ada)
    let evaluator = RecordingEvaluator {
      $0.anchors.isEmpty ? .refused(.noAnchor, chain: [], detail: "") : .trusted(chain: $0.certificates)
    }
    let authority = authority
    DispatchQueue.concurrentPerform(iterations: 200) { index in
      evaluator.evaluating {
        if index % 3 == 0 { SecTrustSetAnchorCertificates(trust, index % 2 == 0 ? nil : [authority] as NSArray) }
        SecTrustEvaluateWithError(trust, nil)
      }
    }
    SecTrustSetAnchorCertificates(trust, [authority] as NSArray)
    #expect(evaluator.evaluating { SecTrustEvaluateWithError(trust, nil) })
    SecTrustSetAnchorCertificates(trust, nil)
    #expect(evaluator.evaluating { !SecTrustEvaluateWithError(trust, nil) })
  }
}
