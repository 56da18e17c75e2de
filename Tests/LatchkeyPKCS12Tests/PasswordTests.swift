import LatchkeyByteCoding
import Testing

@testable import LatchkeyPKCS12

@Suite struct PasswordTests {
  @Test("The wide form is UTF-16 with a zero behind it, the narrow one UTF-8 without")
  func forms() {
    let form = PasswordForm.written("ü😀")
    #expect(form.wide.array() == [0, 0xFC, 0xD8, 0x3D, 0xDE, 0, 0, 0])
    #expect(form.narrow.array() == [0xC3, 0xBC, 0xF0, 0x9F, 0x98, 0x80])
  }

  @Test("No password and an empty one open what either was written with", arguments: [nil, ""])
  func none(password: String?) throws {
    let sample = try Sample()
    let none = PasswordForm(wide: SecretBytes([]), narrow: SecretBytes([]))
    let zero = PasswordForm(wide: SecretBytes([0, 0]), narrow: SecretBytes([]))
    for form in [none, zero] {
      for algorithms in [PKCS12Profile.Algorithms.modern, .pbmac1, .compatible] {
        let bytes = try written(sample.file, form, algorithms)
        #expect(Refusal.of(bytes, password: password) == nil)
        #expect(Refusal.of(bytes, password: "x") == .wrongPassword)
      }
    }
  }

  @Test(
    "Passwords beyond ASCII open what old writers made of them", arguments: ["ü", "пароль", "pass😀word", "ß\u{301}"])
  func encodings(password: String) throws {
    let sample = try Sample()
    for form in PasswordForm.candidates(for: password) {
      for algorithms in [PKCS12Profile.Algorithms.modern, .pbmac1, .compatible] {
        #expect(Refusal.of(try written(sample.file, form, algorithms), password: password) == nil)
      }
    }
    #expect(Refusal.of(try written(sample.file, .written(password), .modern), password: "u") == .wrongPassword)
  }

  @Test("Latin-1 where UTF-8 belongs, and UTF-8 bytes widened one by one, are among what is tried")
  func fallbacks() {
    let forms = PasswordForm.candidates(for: "ü")
    #expect(forms.contains { $0.narrow.array() == [0xFC] && $0.wide.array() == [0, 0xFC, 0, 0] })
    #expect(forms.contains { $0.wide.array() == [0, 0xC3, 0, 0xBC, 0, 0] })
    #expect(forms.contains { $0.narrow.array() == [0, 0xFC, 0, 0] })
    // Cyrillic has no Latin-1, and ASCII needs no other form of itself but old NSS's.
    #expect(PasswordForm.candidates(for: "я").count == 3)
    #expect(PasswordForm.candidates(for: "a").count == 2)
  }

  @Test("The parts of a file may be under different forms of the password")
  func mixed() throws {
    let sample = try Sample()
    let forms = PasswordForm.candidates(for: "ü")
    let writers = forms.map { SafeWriter(profile: PKCS12Profile.compatible.quick, password: $0) }
    let content = MadeFile.sequence([
      try writers[1].certificates(sample.file.certificates, notRandom),
      try writers[0].keys(sample.file.keys, notRandom),
    ])
    let bytes = MadeFile.file(content: content, form: forms[1])
    #expect(Refusal.of(bytes, password: "ü") == nil)
  }

  private func written(
    _ file: PKCS12File, _ form: PasswordForm, _ algorithms: PKCS12Profile.Algorithms
  ) throws -> [UInt8] {
    let writer = SafeWriter(profile: PKCS12Profile(algorithms: algorithms, iterations: 2), password: form)
    let content = MadeFile.sequence([
      try writer.certificates(file.certificates, notRandom), try writer.keys(file.keys, notRandom),
    ])
    return MadeFile.file(content: content, macData: try writer.mac(of: content, notRandom))
  }
}
