import LatchkeyByteCoding
import LatchkeyKeychainItems
import Testing

/// The cost is below the minimum outside of tests, but for the golden envelope: the tests do not depend on it.
@Suite struct EnvelopeTests {
  static let logRounds: UInt8 = 4

  /// Made by Python: hashlib.scrypt, hmac, and HKDF and AESGCM of the package cryptography.
  static let golden =
    "4c4b455601010f080101000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f44360608f1e5930495636d2b"
    + "dab1e86f99fda62e5e43c3a0293607aa180a3d39000102030405060708090a0bbff6ff7ca4854a7689e53526714be7b2be8791eb45b2"
    + "f262c10d676a88e217b9a7dceb823d63bf"

  /// The same value and password at the lower cost.
  private func cheap() throws -> [UInt8] {
    try Envelope.seal(Array("a value".utf8), password: "pässword", context: "service", logRounds: Self.logRounds)
  }

  private func failure(_ bytes: [UInt8], password: String = "pässword", context: String = "service") -> EnvelopeError? {
    do throws(EnvelopeError) {
      _ = try Envelope.open(bytes, password: password, context: context, minimumLogRounds: Self.logRounds)
      return nil
    } catch {
      return error
    }
  }

  @Test("An envelope made by other means opens") func anEnvelopeMadeByOtherMeansOpens() throws {
    let bytes = try Hexadecimal.decode(Self.golden)
    #expect(try Envelope.open(bytes, password: "pässword", context: "service") == Array("a value".utf8))
  }

  @Test("A password opens however its characters are composed") func aPasswordOpensHoweverItsCharactersAreComposed()
    throws
  {
    #expect(failure(try cheap(), password: "pa\u{308}ssword") == nil)
  }

  @Test("A sealed value opens, and no two sealed values are equal") func aSealedValueOpensAndNoTwoSealedValuesAreEqual()
    throws
  {
    for value in [[], [0], Array(repeating: 7, count: 1000)] as [[UInt8]] {
      let sealed = try Envelope.seal(value, password: "p", context: "c", logRounds: Self.logRounds)
      #expect(sealed.count == 118 + value.count)
      #expect(
        try Envelope.open(sealed, password: "p", context: "c", minimumLogRounds: Self.logRounds) == value)
      let again = try Envelope.seal(value, password: "p", context: "c", logRounds: Self.logRounds)
      #expect(again[10..<42] != sealed[10..<42])
      #expect(again[74..<86] != sealed[74..<86])
      #expect(again.suffix(16) != sealed.suffix(16))
    }
  }

  @Test("Another password is distinguished from damage") func anotherPasswordIsDistinguishedFromDamage() throws {
    let bytes = try cheap()
    for password in ["password", "pässword ", "Pässword", "", "p"] {
      #expect(failure(bytes, password: password) == .wrongPassword, "\(password)")
    }
  }

  @Test("Another identifier's value does not open") func anotherIdentifiersValueDoesNotOpen() throws {
    #expect(failure(try cheap(), context: "other") == .damaged)
  }

  @Test("A cost below the floor does not open outside tests") func aCostBelowTheFloorDoesNotOpenOutsideTests() throws {
    let bytes = try cheap()
    #expect(throws: EnvelopeError.damaged) { try Envelope.open(bytes, password: "pässword", context: "service") }
  }

  @Test("A changed byte of the header is damage, by any password") func aChangedByteOfTheHeaderIsDamageByAnyPassword()
    throws
  {
    let bytes = try cheap()
    for offset in 0..<EnvelopeHeader.size {
      for change: UInt8 in [0x01, 0x80, 0xFF] {
        var changed = bytes
        changed[offset] ^= change
        let expected: EnvelopeError
        switch offset {
        case ..<4: expected = .notAnEnvelope
        case 4 where changed[4] > 1: expected = .newerFormat
        default: expected = .damaged
        }
        #expect(failure(changed) == expected, "\(offset)")
        #expect(failure(changed, password: "wrong") == expected, "\(offset)")
      }
    }
  }

  @Test("A changed byte of the content is damage", arguments: [102, 105, 108, 109, 124])
  func aChangedByteOfTheContentIsDamage(offset: Int) throws {
    var bytes = try cheap()
    bytes[offset] ^= 0x10
    #expect(failure(bytes) == .damaged)
  }

  @Test("Bytes cut off or added are damage") func bytesCutOffOrAddedAreDamage() throws {
    let bytes = try cheap()
    for length in 0..<4 { #expect(failure(Array(bytes.prefix(length))) == .notAnEnvelope, "\(length)") }
    for length in 4..<118 { #expect(failure(Array(bytes.prefix(length))) == .damaged, "\(length)") }
    #expect(failure(Array(bytes.dropLast())) == .damaged)
    #expect(failure(bytes + [0]) == .damaged)
  }
}

@Suite struct EnvelopeHeaderTests {
  private static let header = EnvelopeHeader(
    logRounds: 15, salt: Array(0..<32), check: Array(32..<64), nonce: Array(64..<76))

  private func outcome(_ bytes: [UInt8]) -> Result<EnvelopeHeader, EnvelopeError> {
    var reader = ByteReader(bytes)
    do throws(EnvelopeError) { return .success(try EnvelopeHeader(from: &reader)) } catch { return .failure(error) }
  }

  /// The header with one byte changed and its digest made anew, as a forger would.
  private func forged(_ offset: Int, _ value: UInt8) -> [UInt8] {
    var covered = Array(Self.header.encode().prefix(86))
    covered[offset] = value
    return covered + EnvelopeHeader.digest(covered)
  }

  @Test("A header comes back") func aHeaderComesBack() {
    #expect(Self.header.encode().count == EnvelopeHeader.size)
    #expect(outcome(Self.header.encode()) == .success(Self.header))
    var reader = ByteReader(Self.header.encode() + [1, 2])
    #expect(throws: Never.self) { try EnvelopeHeader(from: &reader) }
    #expect(reader.remaining == 2)
  }

  @Test("Its bytes are those of the layout") func itsBytesAreThoseOfTheLayout() {
    let bytes = Self.header.encode()
    #expect(Array(bytes[..<10]) == [0x4C, 0x4B, 0x45, 0x56, 1, 1, 15, 8, 1, 1])
    #expect(Array(bytes[10..<86]) == Array(0..<76))
  }

  @Test("A forged cost is refused before anything is derived") func aForgedCostIsRefusedBeforeAnythingIsDerived() {
    for logRounds: UInt8 in [0, 1, 14, 21, 32, 64, 255] {
      #expect(outcome(forged(6, logRounds)) == .failure(.damaged), "\(logRounds)")
    }
    for logRounds: UInt8 in 15...20 { #expect(throws: Never.self) { try outcome(forged(6, logRounds)).get() } }
  }

  @Test("Parameters of a newer version are refused as such") func parametersOfANewerVersionAreRefusedAsSuch() {
    for (offset, value) in [(4, 2), (4, 255), (4, 0), (5, 0), (5, 2), (7, 1), (7, 16), (8, 0), (8, 2), (9, 0), (9, 2)] {
      #expect(outcome(forged(offset, UInt8(value))) == .failure(.newerFormat), "\(offset)")
    }
  }
}
