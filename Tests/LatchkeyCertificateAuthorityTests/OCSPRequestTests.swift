import Foundation
import LatchkeyCertificateAuthority
import Testing

@Suite("OCSP requests and responses")
struct OCSPRequestTests {
  /// By `openssl ocsp -issuer ca.pem -serial 0x5A01 -reqout` with a nonce of 16 bytes: SHA-1, one certificate.
  static func request(
    serial: [UInt8] = [0x5A, 0x01], count: Int = 1, nonce: [UInt8]? = [UInt8](repeating: 7, count: 16),
    version: [UInt8] = [], more: [UInt8] = []
  ) -> [UInt8] {
    func tlv(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
      content.count < 256
        ? [tag] + (content.count < 128 ? [] : [0x81]) + [UInt8(content.count)] + content
        : [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }
    let algorithm = tlv(0x30, tlv(0x06, [0x2B, 0x0E, 0x03, 0x02, 0x1A]) + [0x05, 0x00])
    let id = tlv(
      0x30,
      algorithm + tlv(0x04, [UInt8](repeating: 1, count: 20)) + tlv(0x04, [UInt8](repeating: 2, count: 20))
        + tlv(0x02, serial))
    let list = tlv(0x30, Array(repeating: tlv(0x30, id), count: count).flatMap { $0 })
    let name: [UInt8] = tlv(0x06, [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x02])
    let extensions = nonce.map { tlv(0xA2, tlv(0x30, tlv(0x30, name + tlv(0x04, tlv(0x04, $0))) + more)) } ?? []
    return tlv(0x30, tlv(0x30, version + list + extensions))
  }

  @Test("A request is read with its serial number, digest and nonce")
  func readable() throws {
    let request = try OCSPRequest(der: Self.request())
    #expect(request.certificates.map(\.serial) == [[0x5A, 0x01]])
    #expect(request.certificates[0].digest == .sha1)
    #expect(request.nonce == [UInt8](repeating: 7, count: 16))
  }

  @Test("A nonce of 1 to 128 bytes is repeated", arguments: [1, 32, 33, 128])
  func nonces(_ count: Int) throws {
    let nonce = [UInt8](repeating: 9, count: count)
    #expect(try OCSPRequest(der: Self.request(nonce: nonce)).nonce == nonce)
  }

  @Test("An empty nonce and one of more than 128 bytes are refused", arguments: [0, 129, 7000])
  func wrongNonces(_ count: Int) {
    #expect(throws: AuthorityError.self) {
      try OCSPRequest(der: Self.request(nonce: [UInt8](repeating: 9, count: count)))
    }
  }

  @Test("An unknown extension is ignored, a critical one is refused, and a critical one that is known is not")
  func extensions() throws {
    let (unknown, responseTypes): ([UInt8], [UInt8]) = (
      [0x06, 0x03, 0x2A, 0x03, 0x04], [0x06, 0x09, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x04]
    )
    func more(_ name: [UInt8], isCritical: Bool) -> [UInt8] {
      let content = name + (isCritical ? [0x01, 0x01, 0xFF] : []) + [0x04, 0x00]
      return [0x30, UInt8(content.count)] + content
    }
    #expect(try OCSPRequest(der: Self.request(more: more(unknown, isCritical: false))).nonce != nil)
    #expect(try OCSPRequest(der: Self.request(more: more(responseTypes, isCritical: true))).nonce != nil)
    #expect(throws: AuthorityError.self) { try OCSPRequest(der: Self.request(more: more(unknown, isCritical: true))) }
  }

  @Test("16 certificates are the most, and one the least")
  func counts() throws {
    #expect(try OCSPRequest(der: Self.request(count: OCSPRequest.most)).certificates.count == OCSPRequest.most)
    for count in [0, OCSPRequest.most + 1] {
      #expect(throws: AuthorityError.self) { try OCSPRequest(der: Self.request(count: count)) }
    }
  }

  @Test("No prefix of a request is one, nor a request with a byte behind it")
  func cut() {
    let whole = Self.request()
    for length in 0..<whole.count {
      #expect(throws: AuthorityError.self) { try OCSPRequest(der: Array(whole.prefix(length))) }
    }
    #expect(throws: AuthorityError.self) { try OCSPRequest(der: whole + [0]) }
  }

  @Test("Another version, and a request that is too long, are refused")
  func refused() {
    #expect(throws: AuthorityError.self) { try OCSPRequest(der: Self.request(version: [0xA0, 3, 2, 1, 1])) }
    #expect(throws: AuthorityError.self) {
      try OCSPRequest(der: [0x30, 0x82, 0x20, 0x00] + [UInt8](repeating: 0, count: OCSPRequest.longest))
    }
  }

  @Test("A response has a status for each certificate, and a certificate of another issuer is never good")
  func statuses() throws {
    let request = try OCSPRequest(der: Self.request())
    let responder = OCSPResponder(try authority())
    #expect(!responder.knows(request.certificates[0]))
    #expect(throws: AuthorityError.self) {
      try responder.response(
        to: request, [], producedAt: now, thisUpdate: now, nextUpdate: now.addingTimeInterval(60))
    }
    #expect(throws: AuthorityError.self) {
      try responder.response(to: request, [.good], producedAt: now, thisUpdate: now, nextUpdate: now)
    }
    func hash(_ status: OCSPStatus) throws -> [UInt8] {
      try responder.response(
        to: request, [status], producedAt: now, thisUpdate: now, nextUpdate: now.addingTimeInterval(60)
      ).contentHash
    }
    #expect(try hash(.good) == hash(.unknown))
  }
}
