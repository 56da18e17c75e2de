import Crypto
import LatchkeyByteCoding
import Testing

@testable import LatchkeyPKCS12

@Suite struct WritingTests {
  @Test("A written file reads back equal", arguments: [PKCS12Profile.modern, .pbmac1, .compatible])
  func roundTrip(profile: PKCS12Profile) throws {
    let sample = try Sample()
    let other = try PKCS12File(reading: Fixtures.bytes("pyca/java-truststore.p12"), password: nil)
    var file = sample.file
    file.certificates[0].friendlyName = "Ключ 🔑"
    file.keys[0].friendlyName = ""
    file.keys[0].localKeyID = [1, 2, 3]
    file.certificates += other.certificates
    let bytes = try file.encoded(password: "pass wörd 😀", profile: profile.quick, random: notRandom)
    let read = try PKCS12File(reading: bytes, password: "pass wörd 😀")
    #expect(read.certificates == file.certificates)
    #expect(read.keys.map(\.pkcs8) == file.keys.map(\.pkcs8))
    #expect(read.keys[0].friendlyName == "")
    #expect(read.keys[0].localKeyID == [1, 2, 3])
    #expect(Refusal.of(bytes, password: "pass word") == .wrongPassword)
  }

  @Test(
    "Files of certificates alone, of keys alone, and of several keys", arguments: [PKCS12Profile.modern, .compatible])
  func parts(profile: PKCS12Profile) throws {
    let sample = try Sample()
    for (certificates, keys) in [(1, 0), (0, 1), (2, 3)] {
      let file = PKCS12File(
        certificates: [PKCS12File.Certificate](repeating: .init(der: sample.certificate), count: certificates),
        keys: [PKCS12File.Key](repeating: .init(pkcs8: sample.key), count: keys))
      let bytes = try file.encoded(password: "x", profile: profile.quick, random: notRandom)
      let read = try PKCS12File(reading: bytes, password: "x")
      #expect(read.certificates.count == certificates)
      #expect(read.keys.count == keys)
    }
  }

  @Test("A key and its certificate share the certificate's SHA-1, if they share nothing yet")
  func localKeyIDs() throws {
    let sample = try Sample()
    let expected = Array(Insecure.SHA1.hash(data: sample.certificate))
    let bytes = try sample.file.encoded(password: "x", profile: .modern.quick, random: notRandom)
    let read = try PKCS12File(reading: bytes, password: "x")
    #expect(read.keys[0].localKeyID == expected)
    #expect(read.certificates[0].localKeyID == expected)
    var labeled = sample.file
    labeled.certificates[0].localKeyID = [7]
    let again = try PKCS12File(
      reading: labeled.encoded(password: "x", profile: .modern.quick, random: notRandom), password: "x")
    #expect(again.keys[0].localKeyID == [7])
    #expect(again.certificates[0].localKeyID == [7])
  }

  @Test("Misuse is refused, and says so")
  func misuse() throws {
    let sample = try Sample()
    func refusal(
      _ file: PKCS12File, _ password: String = "x", _ profile: PKCS12Profile = .modern.quick,
      _ random: (Int) throws -> [UInt8] = notRandom
    ) -> Refusal? {
      do throws(PKCS12Error) {
        _ = try file.encoded(password: password, profile: profile, random: random)
        return nil
      } catch { return Refusal(error) }
    }
    #expect(refusal(sample.file) == nil)
    #expect(refusal(sample.file, "") == .misuse)
    #expect(refusal(sample.file, "a\0b") == .misuse)
    #expect(refusal(PKCS12File()) == .misuse)
    #expect(refusal(sample.file, "x", PKCS12Profile(algorithms: .modern, iterations: 0)) == .misuse)
    #expect(refusal(sample.file, "x", PKCS12Profile(algorithms: .modern, iterations: -1)) == .misuse)
    #expect(refusal(sample.file, "x", PKCS12Profile(algorithms: .modern, iterations: .max)) == .misuse)
    #expect(refusal(sample.file, "x", .modern.quick) { _ in throw CancellationError() } == .misuse)
    #expect(refusal(sample.file, "x", .modern.quick) { [UInt8](repeating: 0, count: $0 - 1) } == .misuse)
    #expect(refusal(sample.file, "x", .modern.quick) { [UInt8](repeating: 0, count: $0 + 1) } == .misuse)
  }

  @Test("Every salt and vector is drawn anew, and nothing of the password or the key stands in the file")
  func draws() throws {
    let sample = try Sample()
    var draws: [[UInt8]] = []
    let bytes = try sample.file.encoded(password: "correct horse", profile: .modern.quick) { count in
      draws.append([UInt8](repeating: UInt8(draws.count + 1), count: count))
      return draws[draws.count - 1]
    }
    // Salt and vector of the certificates and of the key, and the MAC's salt.
    #expect(draws.map(\.count) == [16, 16, 16, 16, 16])
    let text = Hexadecimal.encode(bytes)
    for draw in draws { #expect(text.contains(Hexadecimal.encode(draw))) }
    #expect(!text.contains(Hexadecimal.encode(Array("correct".utf8))))
    #expect(!text.contains(Hexadecimal.encode(sample.key[40..<60])))
  }

  @Test("The profiles have the algorithms that they name, and each file is DER")
  func profiles() throws {
    let sample = try Sample()
    #expect(PKCS12Profile.modern.iterations == 100_000)
    #expect(PKCS12Profile.compatible.iterations == 2048)
    for (profile, expected, foreign) in [
      (
        PKCS12Profile.modern, [DERObjectIdentifier.pbes2, .aes256, .sha256, .hmacSHA256],
        [DERObjectIdentifier.pbmac1, .sha1]
      ),
      (.pbmac1, [.pbes2, .aes256, .pbmac1], [.sha256]), (.compatible, [.pbe3DES, .sha1], [.pbes2]),
    ] {
      let bytes = try sample.file.encoded(password: "x", profile: profile.quick, random: notRandom)
      var reader = PKCS12Reader(SecretBytes(bytes), depth: 32)
      #expect(try reader.der("the file") == bytes)
      let text = Hexadecimal.encode(bytes)
      for identifier in expected { #expect(text.contains(Hexadecimal.encode(MadeFile.oid(identifier)))) }
      for identifier in foreign { #expect(!text.contains(Hexadecimal.encode(MadeFile.oid(identifier)))) }
    }
  }
}
