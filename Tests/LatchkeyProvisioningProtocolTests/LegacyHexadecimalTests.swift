import LatchkeyProvisioningProtocol
import LatchkeySecretData
import Testing

@Suite struct LegacyHexadecimalTests {
  @Test("Decoding matches the original helper", arguments: Vectors.all.hexHelper) func decodingMatchesTheOriginalHelper(
    _ vector: Vectors.HexadecimalText
  ) {
    #expect(LegacyHexadecimal.decode(vector.input) == vector.bytes.map { hex($0) })
  }

  @Test("Text that the vectors reject is nil", arguments: Vectors.all.hexReject) func invalidTextIsNil(_ text: String) {
    #expect(LegacyHexadecimal.decode(text) == nil)
  }

  @Test("Text with other characters is nil", arguments: [" ", "\t12", "12\n", "-1", "+1", "1_2", "é1", "1\u{301}2"])
  func otherCharactersAreNil(_ text: String) {
    #expect(LegacyHexadecimal.decode(text) == nil)
  }

  @Test("Keys are read in the forms of GMObjC") func keysInGMObjCsForms() throws {
    let vector = try #require(Vectors.all.keyPairs.last)
    let spaced = vector.gmobjcPublic98.map { "\($0) " }.joined()
    #expect(try LegacyHexadecimal.publicKey(spaced).bytes == hex(vector.public))
    #expect(try LegacyHexadecimal.publicKey(vector.public.uppercased()).bytes == hex(vector.public))
    for text in [vector.private, vector.private.uppercased(), vector.gmobjcPrivate64, " " + vector.private] {
      #expect(array(try LegacyHexadecimal.privateKey(text).exposedBytes) == hex(vector.private))
    }
  }

  @Test("Keys in other forms are refused") func keysInOtherFormsAreRefused() throws {
    let vector = try #require(Vectors.all.keyPairs.last)
    for text in ["", "x", vector.private, "02" + vector.public, "03" + vector.public, "0404" + vector.public] {
      #expect(throws: Secp192k1.Failure.invalidPublicKey) { try LegacyHexadecimal.publicKey(text) }
    }
    let short = Vectors.all.keyPairs.map(\.private).first { $0.hasPrefix("0") }.map { String($0.dropFirst()) }
    for text in [
      "", "x", try #require(short), "00" + vector.private, String(repeating: "0", count: 18) + vector.private,
    ] {
      #expect(throws: Secp192k1.Failure.invalidPrivateKey) { _ = try LegacyHexadecimal.privateKey(text) }
    }
  }
}
