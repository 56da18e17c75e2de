import Foundation
import Security
import Testing

@Suite("Paths to an anchor")
struct PathTests {
  private let root = TestCertificate.authority("root")

  @Test("A leaf that an anchor has signed is trusted, and the chain is returned")
  func direct() {
    let leaf = TestCertificate.make("leaf", by: root)
    let verdict = Verdict(leaf, anchors: [root])
    #expect(verdict.status == errSecSuccess)
    #expect(verdict.chain == [leaf.object, root.object])
  }

  @Test("the certificates between leaf and anchor may come in any order, with others among them")
  func anyOrder() {
    let upper = TestCertificate.authority("upper", by: root)
    let lower = TestCertificate.authority("lower", by: upper)
    let leaf = TestCertificate.make("leaf", by: lower)
    let stranger = TestCertificate.authority("lower", by: TestCertificate.authority("elsewhere"))
    for others in [[upper, lower], [lower, upper], [stranger, root, upper, stranger, lower, lower]] {
      let verdict = Verdict(leaf, others, anchors: [root])
      #expect(verdict.status == errSecSuccess, "\(verdict.text)")
      #expect(verdict.chain == [leaf, lower, upper, root].map(\.object))
    }
  }

  @Test("A missing issuer and an untrusted root have different errors")
  func missing() {
    let lower = TestCertificate.authority("lower", by: root)
    let leaf = TestCertificate.make("leaf", by: lower)
    let incomplete = Verdict(leaf, anchors: [root])
    #expect(incomplete.status == errSecCreateChainFailed && incomplete.chain == [leaf.object])
    let stranger = Verdict(leaf, [lower, root], anchors: [TestCertificate.authority("root")])
    #expect(stranger.status == errSecNotTrusted)
    #expect(stranger.chain == [leaf, lower, root].map(\.object))
    #expect(stranger.text.contains("“root”"))
    #expect(Verdict(leaf, [lower, root], anchors: []).status == errSecNotTrusted)
    #expect(Verdict(TestCertificate.make("alone"), anchors: [root]).status == errSecNotTrusted)
  }

  @Test("an anchor need be no root, and a leaf may be its own")
  func anchorsOfAllKinds() {
    let lower = TestCertificate.authority("lower", by: root)
    let leaf = TestCertificate.make("leaf", by: lower)
    #expect(Verdict(leaf, anchors: [lower]).chain == [leaf, lower].map(\.object))
    #expect(Verdict(leaf, anchors: [lower]).status == errSecSuccess)
    let own = Verdict(leaf, anchors: [leaf])
    #expect(own.status == errSecSuccess && own.chain == [leaf.object])
    let alone = TestCertificate.make("alone")
    #expect(Verdict(alone, anchors: [alone]).status == errSecSuccess)
    // The same name and key is not the same certificate.
    let twin = TestCertificate.make("alone", key: alone.key)
    #expect(Verdict(twin, anchors: [alone]).status == errSecNotTrusted)
  }

  @Test("a bit altered anywhere, in leaf or issuer, ends the trust")
  func altered() throws {
    let lower = TestCertificate.authority("lower", by: root)
    let leaf = TestCertificate.make("leaf", by: lower)
    for place in stride(from: 0, to: leaf.der.count, by: 7) {
      guard let broken = leaf.altered(at: place) else { continue }
      let verdict = Verdict([broken, lower.object], anchors: [root.object])
      #expect(verdict.status != errSecSuccess, "leaf, \(place)")
    }
    for place in stride(from: 3, to: lower.der.count, by: 7) {
      guard let broken = lower.altered(at: place) else { continue }
      let verdict = Verdict([leaf.object, broken], anchors: [root.object])
      #expect(verdict.status != errSecSuccess, "issuer, \(place)")
    }
  }

  @Test("a signature of which a bit is said not to count is none: it is not signed itself")
  func unusedBits() throws {
    // One whose last bit is 0 anyway: there are as many of these as of others.
    let found = (0..<64).lazy.map { _ in TestCertificate.make("leaf", by: root) }.first {
      $0.der.last.map { $0 & 1 } == 0
    }
    let leaf = try #require(found)
    // A BIT STRING of some 70 bytes: tag, length, the number of unused bits, and the signature, a SEQUENCE.
    let start = try #require(
      leaf.der.indices.last { leaf.der[$0...].starts(with: [0, 0x30]) && leaf.der[$0 - 2] == 3 })
    let altered = try #require(leaf.altered(at: leaf.der.count - 1 - start))
    #expect(Verdict(leaf, anchors: [root]).status == errSecSuccess)
    #expect(Verdict([altered], anchors: [root.object]).status == errSecInvalidCertificateRef)
  }

  @Test("a name is not enough: another's key under the issuer's name signs nothing")
  func wrongKey() {
    let impostor = TestCertificate.authority("root")
    let leaf = TestCertificate.make("leaf", by: impostor)
    #expect(Verdict(leaf, anchors: [root]).status == errSecCreateChainFailed)
    #expect(Verdict(leaf, [impostor], anchors: [root]).status == errSecNotTrusted)
  }

  @Test("If one path is invalid, another one is used")
  func otherPath() {
    let key = TestCertificate.authority("cross").key
    let old = TestCertificate.authority("old root", to: TestCertificate.now - 1)
    let expired = TestCertificate.authority("cross", by: old, key: key)
    let good = TestCertificate.authority("cross", by: root, key: key)
    let leaf = TestCertificate.make("leaf", by: good)
    for others in [[expired, good], [good, expired]] {
      let verdict = Verdict(leaf, others, anchors: [old, root])
      #expect(verdict.status == errSecSuccess)
      #expect(verdict.chain == [leaf, good, root].map(\.object))
    }
    #expect(Verdict(leaf, [expired], anchors: [old, root]).status == errSecCertificateExpired)
  }

  @Test("authorities that have signed one another are no endless chain")
  func loop() {
    let a = TestCertificate.authority("a")
    let b = TestCertificate.authority("b", by: a)
    let aByB = TestCertificate.authority("a", by: b, key: a.key)
    let leaf = TestCertificate.make("leaf", by: b)
    let verdict = Verdict(leaf, [b, aByB], anchors: [root])
    #expect(verdict.status == errSecCreateChainFailed || verdict.status == errSecNotTrusted)
    #expect(verdict.chain.count == 3)
  }

  @Test("a path has 16 certificates at most")
  func longest() {
    var chain = [root]
    for index in 0..<15 { chain.append(TestCertificate.authority("authority \(index)", by: chain[index])) }
    let inside = TestCertificate.make("leaf", by: chain[14])
    #expect(Verdict(inside, Array(chain[1...14]), anchors: [root]).chain.count == 16)
    #expect(Verdict(inside, Array(chain[1...14]), anchors: [root]).status == errSecSuccess)
    let outside = TestCertificate.make("leaf", by: chain[15])
    #expect(Verdict(outside, Array(chain[1...15]), anchors: [root]).status != errSecSuccess)
  }

  @Test("more than 128 certificates, or anchors, are refused, not searched")
  func tooMany() {
    let leaf = TestCertificate.make("leaf", by: root)
    let many = [TestCertificate](repeating: root, count: 128)
    #expect(Verdict(leaf, many, anchors: [root]).status == errSecPathLengthConstraintExceeded)
    #expect(Verdict(leaf, Array(many.dropLast()), anchors: [root]).status == errSecSuccess)
    #expect(Verdict(leaf, anchors: many + [root]).status == errSecPathLengthConstraintExceeded)
  }

  @Test("a mesh of authorities that have all signed one another is given up soon", .timeLimit(.minutes(1)))
  func mesh() {
    let roots = (0..<11).map { TestCertificate.authority("mesh \($0)") }
    var mesh: [TestCertificate] = []
    for (index, issuer) in roots.enumerated() {
      for (other, subject) in roots.enumerated() where other != index {
        mesh.append(TestCertificate.authority("mesh \(other)", by: issuer, key: subject.key))
      }
    }
    let leaf = TestCertificate.make("leaf", by: roots[0])
    let verdict = Verdict(leaf, mesh, anchors: [root])
    #expect(verdict.status == errSecPathLengthConstraintExceeded)
    // One that leads out of it is still found where it comes early.
    let exit = TestCertificate.authority("mesh 0", by: root, key: roots[0].key)
    #expect(Verdict(leaf, [exit] + mesh, anchors: [root]).status == errSecSuccess)
  }
}
