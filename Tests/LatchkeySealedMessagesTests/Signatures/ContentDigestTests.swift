import Foundation
import LatchkeySealedMessages
import Testing

@Suite("Content-Digest: RFC 9530")
struct ContentDigestTests {
  private let hello = Array(#"{"hello": "world"}"#.utf8)
  private let sha256 = "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
  private let sha512 =
    "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"

  @Test("appendix D's values are right for its content")
  func samples() throws {
    for value in [sha256, sha512, "\(sha256), \(sha512)", "\(sha512),\(sha256)"] {
      try ContentDigest.verify(value, of: hello)
      #expect(throws: SealedMessageError.notAuthentic) { try ContentDigest.verify(value, of: hello + [0x0A]) }
    }
    #expect(ContentDigest.value(of: hello) == sha256)
  }

  @Test("appendix B's values are right for their content")
  func examples() throws {
    let digests = [
      "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=": hello + [0x0A],
      "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=": [],
      "jjcgBDWNAtbYUXI37CVG3gRuGOAjaaDRGpIUFsdyepQ=": Array("\"world\"}\n".utf8),
      // The RFC prints 8B 08 at the start, another Brotli coding of the same; its digest is of this one.
      "d435Qo+nKZ+gLcUHn7GQtQ72hiBVAgqoLsZnZPiTGPk=": [
        0x0B, 0x09, 0x80, 0x7B, 0x22, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x22, 0x3A, 0x20, 0x22, 0x77, 0x6F, 0x72, 0x6C,
        0x64,
        0x22, 0x7D, 0x0A, 0x03,
      ],
    ]
    for (digest, content) in digests {
      try ContentDigest.verify("sha-256=:\(digest):", of: content)
      #expect(ContentDigest.value(of: content) == "sha-256=:\(digest):")
    }
  }

  @Test("all known digests must be right, unknown ones count for nothing")
  func several() throws {
    let wrong = "sha-512=:\(Data(count: 64).base64EncodedString()):"
    #expect(throws: SealedMessageError.notAuthentic) { try ContentDigest.verify("\(sha256), \(wrong)", of: hello) }
    #expect(throws: SealedMessageError.notAuthentic) { try ContentDigest.verify("\(wrong), \(sha256)", of: hello) }
    // Appendix D's other algorithms: one that is right, one that is wrong.
    try ContentDigest.verify("md5=:Sd/dVLAcvNLSq16eXua5uQ==:, \(sha256), unixsum=:AAA=:", of: hello)
    #expect(throws: SealedMessageError.malformed("content-digest: neither sha-256 nor sha-512")) {
      try ContentDigest.verify("md5=:Sd/dVLAcvNLSq16eXua5uQ==:", of: hello)
    }
  }

  @Test(
    "A malformed digest is refused",
    arguments: [
      "", "sha-256", "sha-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=", "sha-256=::",
      "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE:", "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPF=:",
      "SHA-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
      "sha-256=(:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:)",
      "sha-256=:X48E:", "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:,",
      "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:, sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
      "x1=::, x2=::, x3=::, x4=::, x5=::, x6=::, x7=::, x8=::, sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
    ])
  func refused(value: String) {
    #expect(throws: SealedMessageError.self) { try ContentDigest.verify(value, of: hello) }
  }
}
