import LatchkeyByteCoding
import Testing

@testable import LatchkeyPKCS12

@Suite struct CMSSignedDataTests {
  /// Stands in for a certificate: what is in one is not read.
  private let certificate: [UInt8] = [0x30, 3, 2, 1, 7]
  /// The message with it, by RFC 5652 3 and 5.1.
  private let example: [UInt8] =
    [0x30, 0x2A, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2, 0xA0, 0x1D, 0x30, 0x1B, 2, 1, 1, 0x31, 0]
    + [0x30, 0x0B, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 1, 0xA0, 5, 0x30, 3, 2, 1, 7, 0x31, 0]

  /// The parts of signed data, each as it is in the example.
  private struct Parts {
    var version: [UInt8] = [2, 1, 1]
    var digests: [UInt8] = [0x31, 0]
    var content = MadeFile.sequence([MadeFile.oid(.data)])
    var certificates: [UInt8] = [0xA0, 5, 0x30, 3, 2, 1, 7]
    var lists: [UInt8] = []
    var signatures: [UInt8] = [0x31, 0]

    var message: [UInt8] { message() }

    func message(_ type: DERObjectIdentifier = .signedData, trailing: [UInt8] = []) -> [UInt8] {
      let data = MadeFile.sequence([version, digests, content, certificates, lists, signatures, trailing])
      return MadeFile.sequence([MadeFile.oid(type), MadeFile.value(0xA0, data)])
    }
  }

  private func message(_ change: (inout Parts) -> Void = { _ in }) -> [UInt8] {
    var parts = Parts()
    change(&parts)
    return parts.message
  }

  private func message(choices: [UInt8]...) -> [UInt8] {
    message { $0.certificates = MadeFile.value(0xA0, choices.flatMap { $0 }) }
  }

  /// How a message is refused; nil if it is read.
  private func refusal(_ bytes: [UInt8], _ limits: PKCS12Limits = PKCS12Limits()) -> Refusal? {
    do throws(PKCS12Error) {
      _ = try CMSSignedData.certificates(in: bytes, limits: limits)
      return nil
    } catch {
      return Refusal(error)
    }
  }

  @Test("The specification's bytes are read, and written the same")
  func specification() throws {
    #expect(message() == example)
    #expect(try CMSSignedData.certificates(in: example) == [certificate])
    #expect(CMSSignedData.encoded([certificate]) == example)
  }

  @Test(
    "Certificates are read in the message's order, and written in that of their bytes; each as often as it is given")
  func order() throws {
    let (a, b, long): ([UInt8], [UInt8], [UInt8]) = ([0x30, 1, 1], [0x30, 1, 2], MadeFile.value(0x30, [1, 2, 3]))
    #expect(try CMSSignedData.certificates(in: message(choices: long, b, a, b)) == [long, b, a, b])
    let written = CMSSignedData.encoded([long, b, a, b])
    #expect(try CMSSignedData.certificates(in: written) == [a, b, b, long])
    #expect(CMSSignedData.encoded([b, a, long, b]) == written)
    let large = MadeFile.value(0x30, [UInt8](repeating: 5, count: 300))
    #expect(try CMSSignedData.certificates(in: CMSSignedData.encoded([large, certificate])) == [certificate, large])
  }

  @Test("Content, revocation lists, signatures and other kinds of certificates are skipped")
  func skipped() throws {
    let other = MadeFile.value(0xA2, [2, 1, 1])
    let signer = MadeFile.value(0x31, MadeFile.sequence([[2, 1, 1], MadeFile.value(4, [1])]))
    for content in [
      MadeFile.sequence([MadeFile.oid(.data), MadeFile.value(0xA0, [4, 2, 1, 2])]),
      MadeFile.sequence([MadeFile.oid(.signedData), MadeFile.value(0xA0, example)]), [0x30, 0],
    ] {
      let bytes = message {
        $0.version = [2, 1, 5]
        $0.digests = MadeFile.value(0x31, MadeFile.sequence([MadeFile.oid(.sha256)]))
        $0.content = content
        $0.lists = MadeFile.value(0xA1, [0x30, 0])
        $0.signatures = signer
        $0.certificates = MadeFile.value(
          0xA0, MadeFile.value(0xA0, []) + certificate + MadeFile.value(0xA1, certificate) + other + [0xA3, 0])
      }
      #expect(try CMSSignedData.certificates(in: bytes) == [certificate])
    }
  }

  @Test("A message without a list of certificates is told from one whose list is empty")
  func none() throws {
    let without = message { $0.certificates = [] }
    #expect(refusal(without) == nil)
    #expect(try CMSSignedData.certificates(in: without) == nil)
    #expect(try CMSSignedData.certificates(in: message(choices: [])) == [])
    #expect(try CMSSignedData.certificates(in: message(choices: [0xA1, 0])) == [])
    #expect(try CMSSignedData.certificates(in: CMSSignedData.encoded([])) == [])
  }

  @Test("Indefinite lengths are read; a certificate's own becomes definite, and what is in it stays as it is")
  func indefinite() throws {
    func open(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] { [tag, 0x80] + parts.flatMap { $0 } + [0, 0] }
    let content = open(0x30, MadeFile.oid(.data), open(0xA0, open(0x24, [4, 1, 0], [4, 1, 0])))
    let inner: [UInt8] = [0x30, 0x81, 0, 2, 1, 7]
    let list = open(0xA0, certificate, open(0x30, inner), open(0xA1, open(0x30)))
    let data = open(0x30, [2, 1, 1], open(0x31), content, list, open(0xA1), open(0x31))
    let bytes = open(0x30, MadeFile.oid(.signedData), open(0xA0, data))
    #expect(try CMSSignedData.certificates(in: bytes) == [certificate, [0x30, 6] + inner])
    for count in bytes.indices { #expect(refusal(Array(bytes.prefix(count))) == .malformed, "\(count)") }
  }

  @Test("Content other than signed data is refused by its name")
  func otherContent() {
    let digested = DERObjectIdentifier(1, 2, 840, 113549, 1, 7, 5)
    let netscape = DERObjectIdentifier(2, 16, 840, 1, 113730, 2, 5)
    for type in [.data, .envelopedData, .encryptedData, digested, netscape] as [DERObjectIdentifier] {
      #expect(refusal(Parts().message(type)) == .unsupported)
      // Nothing of it is read.
      #expect(refusal(MadeFile.sequence([MadeFile.oid(type)])) == .unsupported)
    }
    #expect {
      try CMSSignedData.certificates(in: Parts().message(netscape))
    } throws: { $0 as? PKCS12Error == .unsupported("2.16.840.1.113730.2.5") }
  }

  @Test("Parts that are missing, of another type, twice there, or out of their order are refused")
  func parts() {
    let changes: [(inout Parts) -> Void] = [
      { $0.version = [] }, { $0.version = [2, 0] }, { $0.version = [2, 1, 0xFF] }, { $0.version = [4, 1, 1] },
      { $0.digests = [] }, { $0.digests = [0x30, 0] }, { $0.digests = [0x11, 0] }, { $0.content = [] },
      { $0.content = [0x31, 0] }, { $0.content = [4, 0] }, { $0.certificates = [0x80, 0] },
      { $0.certificates = [0xA2, 0] }, { $0.certificates = [0x31, 5, 0x30, 3, 2, 1, 7] },
      { $0.certificates = [0xA0, 0, 0xA0, 0] }, { $0.certificates = [0xA1, 0, 0xA0, 0] },
      { $0.lists = [0xA1, 0, 0xA1, 0] },
      { $0.lists = [0x81, 0] }, { $0.signatures = [] }, { $0.signatures = [0x30, 0] }, { $0.signatures = [0xA2, 0] },
    ]
    for (index, change) in changes.enumerated() { #expect(refusal(message(change)) == .malformed, "\(index)") }
    #expect(refusal(Parts().message(trailing: [5, 0])) == .malformed)
    #expect(refusal(message() + [0]) == .malformed)
    #expect(refusal(message { $0.version = [2, 5, 0x7F, 0, 0, 0, 0] }) == .tooLarge)
    let type = MadeFile.oid(.signedData)
    for odd in [
      [], [0x30, 0], [0x31, 0], MadeFile.sequence([[6, 0]]), MadeFile.sequence([type]),
      MadeFile.sequence([type, [5, 0]]),
      MadeFile.sequence([type, [0xA0, 0]]), MadeFile.sequence([type, [0xA1, 2, 0x30, 0]]),
      MadeFile.sequence([type, [0xA0, 2, 0x31, 0]]),
      MadeFile.sequence([type, MadeFile.value(0xA0, example.suffix(29) + [5, 0])]),
      MadeFile.sequence([type, MadeFile.value(0xA0, Array(example.suffix(29))), [0xA0, 0]]),
    ] as [[UInt8]] {
      #expect(refusal(odd) == .malformed, "\(odd)")
    }
  }

  @Test(
    "What cannot be in a set of certificates is refused",
    arguments: [
      [5, 0], [4, 1, 0], [0x31, 0], [0xA4, 0], [0x80, 0], [0x10, 0], [0x3F, 0x1F, 0], [0, 0], [0x30], [0x70, 0],
    ])
  func otherChoices(choice: [UInt8]) {
    #expect(refusal(message(choices: certificate, choice)) == .malformed)
    #expect(refusal(message(choices: choice, certificate)) == .malformed)
  }

  @Test("A message that ends early, and lengths that are one off or beyond everything, are refused")
  func lengths() {
    for count in example.indices { #expect(refusal(Array(example.prefix(count))) == .malformed, "\(count)") }
    // All lengths but those within the content and the certificate.
    for place in [1, 3, 14, 16, 18, 21, 23, 36, 38, 43] {
      for change in [1, 0xFF] as [UInt8] {
        var bytes = example
        bytes[place] &+= change
        #expect(refusal(bytes) != nil, "\(place)")
      }
    }
    for length in [
      [0x84, 0x7F, 0xFF, 0xFF, 0xFF], [0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x89, 1, 0, 0, 0, 0, 0, 0, 0, 0], [0xFE], [0xFF],
    ] as [[UInt8]] {
      #expect(refusal(message(choices: [0x30] + length, certificate)) == .malformed)
      #expect(refusal(message { $0.certificates = [0xA0] + length + certificate }) == .malformed)
      #expect(refusal(message { $0.signatures = [0x31] + length }) == .malformed)
      #expect(refusal([0x30] + length + example.dropFirst(2)) == .malformed)
    }
  }

  @Test("A message is bounded in its size, in the certificates of every kind, and in its depth")
  func limits() {
    var limits = PKCS12Limits()
    limits.fileSize = example.count
    #expect(refusal(example, limits) == nil)
    limits.fileSize -= 1
    #expect(refusal(example, limits) == .tooLarge)

    limits = PKCS12Limits()
    func many(_ count: Int, _ choice: [UInt8]) -> [UInt8] {
      message(choices: [[UInt8]](repeating: choice, count: count).flatMap { $0 })
    }
    for choice in [certificate, [0x30, 0], [0xA1, 0]] {
      #expect(refusal(many(512, choice)) == nil)
      #expect(refusal(many(513, choice)) == .tooLarge)
      #expect(refusal(many(200_000, choice)) == .tooLarge)
    }
    limits.bags = 0
    #expect(refusal(example, limits) == .tooLarge)
    #expect(refusal(message(choices: []), limits) == nil)

    for depth in 0...4 {
      limits = PKCS12Limits()
      limits.depth = depth
      #expect(refusal(example, limits) == .tooLarge, "\(depth)")
    }
    limits.depth = 5
    #expect(refusal(example, limits) == nil)
    let nested = [[UInt8]](repeating: [0x30, 0x80], count: 200_000).flatMap { $0 }
    #expect(refusal(message(choices: nested)) == .tooLarge)
    #expect(refusal(nested) == .tooLarge)
  }
}
