import LatchkeyEnclaveKeys
import Testing

@Suite("Private keys in the forms of files")
struct PrivateKeyWritingTests {
  @Test("Each form is read as the same key, and no two are the same bytes", arguments: KeyFixture.all)
  func forms(fixture: KeyFixture) throws {
    let key = try PrivateKey(pemRepresentation: fixture.pkcs8)
    for form in [key.traditionalRepresentation, key.pkcs8Representation] {
      let back = try PrivateKey(derRepresentation: form)
      #expect(back.externalRepresentation == key.externalRepresentation && back.type == key.type)
    }
    #expect(key.traditionalRepresentation != key.pkcs8Representation)
  }

  @Test("The traditional form is OpenSSL's, byte for byte, and so is PKCS #8 of RSA", arguments: KeyFixture.all)
  func vectors(fixture: KeyFixture) throws {
    let key = try PrivateKey(pemRepresentation: fixture.pkcs8)
    #expect(try PEMDocument.decode(fixture.traditional).last?.bytes == key.traditionalRepresentation)
    guard fixture.name == "rsa" else { return }
    #expect(try PEMDocument.decode(fixture.pkcs8).first?.bytes == key.pkcs8Representation)
  }
}
