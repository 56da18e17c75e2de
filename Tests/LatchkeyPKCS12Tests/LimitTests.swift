import LatchkeyByteCoding
import Testing

@testable import LatchkeyPKCS12

@Suite struct LimitTests {
  @Test("A file longer than its bound is refused, and no more than the bound is read")
  func fileSize() throws {
    let bytes = try Sample().file.encoded(password: MadeFile.password, profile: .modern.quick, random: notRandom)
    var limits = PKCS12Limits()
    limits.fileSize = bytes.count
    #expect(Refusal.of(bytes, limits: limits) == nil)
    limits.fileSize -= 1
    #expect(Refusal.of(bytes, limits: limits) == .tooLarge)
    limits.fileSize = -1
    #expect(Refusal.of(bytes, limits: limits) == .tooLarge)
    limits.fileSize = .max
    #expect(Refusal.of(bytes, limits: limits) == nil)
    // An endless file ends at the bound.
    let endless = sequence(state: 0) { _ in UInt8(0x30) }
    #expect(throws: PKCS12Error.self) { try PKCS12File(reading: endless, password: nil) }
  }

  @Test("Rounds are counted over the whole file, and before any is run")
  func iterations() throws {
    let sample = try Sample()
    let bytes = try sample.file.encoded(password: MadeFile.password, profile: .modern.quick, random: notRandom)
    var limits = PKCS12Limits()
    // Two rounds for the MAC, the certificate and the key.
    limits.iterations = 6
    #expect(Refusal.of(bytes, limits: limits) == nil)
    for count in [-1, 0, 1, 2, 5] {
      limits.iterations = count
      #expect(Refusal.of(bytes, limits: limits) == .tooLarge)
    }
    // Were these run, this test would not end.
    let content = MadeFile.sequence([MadeFile.clear()])
    var mac = MadeFile.mac(of: content, .sha512, .written(MadeFile.password), 1)
    mac.removeLast(3)
    mac = MadeFile.sequence([Array(mac.dropFirst(2)), MadeFile.number(Int(Int32.max))])
    #expect(Refusal.of(MadeFile.file(content: content, macData: mac)) == .tooLarge)
    let slow = MadeFile.encrypted(MadeFile.pbes2(rounds: Int(Int32.max)), Array(0..<16))
    #expect(Refusal.of(MadeFile.file(slow)) == .tooLarge)
  }

  @Test("Further tries of a wrong password end where the rounds end, and it is still a wrong password")
  func triesAndIterations() throws {
    let bytes = try Sample().file.encoded(password: MadeFile.password, profile: .modern.quick, random: notRandom)
    var limits = PKCS12Limits()
    limits.iterations = 3
    #expect(Refusal.of(bytes, password: "ü", limits: limits) == .wrongPassword)
  }

  @Test("Bags are counted over the whole file, in bags too, and safes as well")
  func bags() throws {
    let secret = DERObjectIdentifier(content: Array(DERObjectIdentifier.keyBag.content.dropLast()) + [5])
    let bag = MadeFile.bag(secret, [5, 0])
    let inner = MadeFile.bag(.safeContentsBag, MadeFile.sequence([bag, bag]))
    var limits = PKCS12Limits()
    limits.bags = 5
    #expect(Refusal.of(MadeFile.file(MadeFile.clear(inner), MadeFile.clear(bag, bag)), limits: limits) == nil)
    #expect(
      Refusal.of(MadeFile.file(MadeFile.clear(inner), MadeFile.clear(bag, bag, bag)), limits: limits) == .tooLarge)
    let many = MadeFile.sequence([[UInt8]](repeating: MadeFile.clear(), count: 6))
    #expect(Refusal.of(MadeFile.file(content: many), limits: limits) == .tooLarge)
  }

  @Test("Bags in bags nest as deep as ASN.1 may, and no deeper")
  func depth() {
    func nested(_ count: Int) -> [UInt8] {
      let contents = (0..<count).reduce(MadeFile.sequence([])) { inner, _ in
        MadeFile.sequence([MadeFile.bag(.safeContentsBag, inner)])
      }
      return MadeFile.file(MadeFile.clear(contents: contents))
    }
    #expect(Refusal.of(nested(3)) == nil)
    for count in [6, 100, 1000] { #expect(Refusal.of(nested(count)) == .tooLarge) }
    var limits = PKCS12Limits()
    limits.depth = 0
    #expect(Refusal.of(nested(1), limits: limits) == .tooLarge)
  }

  @Test("Salts are at most as long as their bound, wherever they stand")
  func salts() throws {
    var limits = PKCS12Limits()
    limits.saltSize = 7
    let bytes = MadeFile.file(MadeFile.clear())
    #expect(Refusal.of(bytes, limits: limits) == .tooLarge)
    limits.saltSize = 9
    #expect(Refusal.of(bytes, limits: limits) == nil)
    let long = [UInt8](repeating: 1, count: 10)
    let own = MadeFile.sequence([
      MadeFile.oid(.pbe3DES), MadeFile.sequence([MadeFile.value(4, long), MadeFile.number(1)]),
    ])
    for algorithm in [MadeFile.pbes2(salt: long), own] {
      #expect(Refusal.of(MadeFile.file(MadeFile.encrypted(algorithm, Array(0..<16))), limits: limits) == .tooLarge)
    }
  }
}
