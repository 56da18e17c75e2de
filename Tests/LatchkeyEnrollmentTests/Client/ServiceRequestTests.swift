import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeySealedMessages
import LatchkeySwiftTesting
import LatchkeyTLSTestSupport
import Security
import Testing

@testable import LatchkeyEnrollment

/// Requests to any service, with the device's certificate and signature.
@Suite(.temporaryKeychain(typing: "1234")) struct ServiceRequestTests {
  @Test("A request shows the certificate, and its key has signed method, URL, content, type and idempotency key")
  func signed() async throws {
    let (service, client) = try await enrolled()
    var request = ServiceRequest(
      method: "PUT", url: "https://LOCALHOST:\(service.server.port)/orders?id=7&x=%20#top",
      fields: [("Content-Type", "text/plain"), ("X-Note", "a")], content: .bytes(Array("two\n".utf8)))
    request.idempotencyKey = "once-and-no-more"
    #expect(try await client.send(request).status == 404)
    let sent = try #require(service.requests("/orders?id=7&x=%20").last)
    let identity = try #require(try await client.identity())
    #expect(sent.certificate == Array(SecCertificateCopyData(identity.identity.certificate) as Data))
    #expect(sent.body == Array("two\n".utf8) && sent["x-note"] == "a")
    for component in ["@method", "@target-uri", "content-digest", "content-type", "idempotency-key"] {
      #expect(sent["signature-input"]?.contains("\"\(component)\"") == true)
    }
    let key = try identity.identity.key.publicKeyX963()
    func verify(_ method: String, _ path: String, _ body: [UInt8]) throws -> SealedProfile.Verified {
      try SealedProfile.verify(
        HTTPRequestMessage(
          method: method, targetURI: "https://localhost:\(service.server.port)\(path)",
          fields: HTTPFields(sent.fields.map { ($0.name, $0.value) })), body: body,
        now: Int64(Date().timeIntervalSince1970)
      ) { (_) throws(SealedMessageError) in key }
    }
    #expect(try verify("PUT", "/orders?id=7&x=%20", sent.body).keyID == identity.device)
    for (method, path, body) in [
      ("POST", "/orders?id=7&x=%20", sent.body), ("PUT", "/orders?id=8", sent.body), ("PUT", "/orders?id=7&x=%20", []),
    ] {
      #expect(throws: SealedMessageError.self) { try verify(method, path, body) }
    }
  }

  @Test("Signature and certificate are left out where that is asked for") func without() async throws {
    let (service, client) = try await enrolled()
    var request = ServiceRequest(url: "https://localhost:\(service.server.port)/plain")
    request.isSigned = false
    request.showsCertificate = false
    _ = try await client.send(request)
    let sent = try #require(service.requests("/plain").last)
    #expect(sent.certificate == nil && sent["signature"] == nil && sent["signature-input"] == nil)
  }

  @Test("A response that the enrollment server's key signed is verified, and one that says so falsely is refused")
  func verified() async throws {
    let (service, client) = try await enrolled()
    var request = ServiceRequest(url: "https://localhost:\(service.server.port)\(Routes.device)")
    let response = try await client.send(request)
    #expect(response.isVerified)
    #expect(try await !response.body.collect(upTo: 4096).isEmpty)
    for fault in [FakeService.Fault.signedByAnother, .signedForAnother] {
      service.fail(Routes.device, fault)
      #expect(await isCannotVerify { try await client.send(request) }, "\(fault)")
    }
    service.fail(Routes.device, .altered)
    let altered = try await client.send(request)
    #expect(await isCannotVerify { try await altered.body.collect(upTo: 4096) })
    service.fail(Routes.device, .unsigned)
    #expect(try await client.send(request).isVerified == false)
    request.requiresSignedResponse = true
    service.fail(Routes.device, .unsigned)
    #expect(await isCannotVerify { try await client.send(request) })
    // Unsigned, it asks for the signature.
    request.isSigned = false
    #expect(try await client.send(request).isVerified)
  }

  @Test("A redirection is not followed, and the certificate goes nowhere else") func redirection() async throws {
    let (service, client) = try await enrolled()
    let count = service.server.requests.count
    let other = try await FakeService()
    let place = "https://localhost:\(other.server.port)/elsewhere"
    let (chain, key) = try service.authority.server(names: ["localhost"])
    let moved = try await LittleServer(
      chain: chain, key: key,
      clientRoots: [try service.authority.root.certificate.bytes], isCertificateOptional: true
    ) { _ in .response(307, [("location", place)]) }
    var request = ServiceRequest(url: "https://localhost:\(moved.port)/here")
    request.trustRoots = [try SecCertificate(service.authority.root.certificate)]
    #expect(try await client.send(request).status == 307)
    #expect(other.server.requests.isEmpty)
    #expect(service.server.requests.count == count)
  }

  @Test("The enrollment's roots vouch for its own server alone") func roots() async throws {
    let (service, client) = try await enrolled()
    let (chain, key) = try service.authority.server(names: ["localhost"])
    let other = try await LittleServer(
      chain: chain, key: key,
      clientRoots: [try service.authority.root.certificate.bytes], isCertificateOptional: true
    ) { _ in .response(200) }
    let request = ServiceRequest(url: "https://localhost:\(other.port)/")
    switch await failure({ try await client.send(request) }) {
    case .untrustedServer: break
    case let error: Issue.record("\(String(describing: error))")
    }
    #expect(other.requests.isEmpty)
  }

  @Test("A file of any kind is sent whole, and its digest is signed", arguments: [0, 1, 65_536, 300_001])
  func files(_ size: Int) async throws {
    let (service, client) = try await enrolled()
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let path = NSTemporaryDirectory() + "/latchkey-\(UUID().uuidString)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let pipe = Pipe()
    Thread.detachNewThread {
      try? pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
      try? pipe.fileHandleForWriting.close()
    }
    for source in [path, "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"] {
      let request = ServiceRequest(
        method: "POST", url: "https://localhost:\(service.server.port)/file", content: .file(path: source))
      _ = try await client.send(request)
      let sent = try #require(service.requests("/file").last)
      #expect(sent.body == bytes)
      if size > 0 { #expect(sent["content-digest"] == ContentDigest.value(of: bytes)) }
    }
  }

  @Test(
    "What is no request is refused before anything is sent",
    arguments: [
      "http://localhost/", "localhost", "https://", "https://user:secret@localhost/", "https://localhost:0/",
      "https://localhost:99999/",
      "ftp://localhost/", "",
    ])
  func noURLs(_ url: String) async throws {
    let (service, client) = try await enrolled()
    let count = service.server.requests.count
    #expect(await isMisuse { try await client.send(ServiceRequest(url: url)) })
    #expect(service.server.requests.count == count)
  }

  @Test(
    "Fields that are none, or that the client sets itself, are refused",
    arguments: [
      ("X-A", "a\r\nX-B: b"), ("X A", "a"), ("", "a"), ("Host", "else"), ("Content-Length", "3"), ("Signature", "x"),
      ("content-digest", "x"), ("Transfer-Encoding", "chunked"), ("X-A", "a\u{0}b"),
    ])
  func noFields(_ name: String, _ value: String) async throws {
    let (service, client) = try await enrolled()
    let url = "https://localhost:\(service.server.port)/"
    #expect(await isMisuse { try await client.send(ServiceRequest(url: url, fields: [(name, value)])) })
    #expect(
      await isMisuse {
        try await client.send(ServiceRequest(url: url, fields: [("Content-Type", "a/b"), ("content-type", "c/d")]))
      })
    var request = ServiceRequest(url: url, fields: [("Idempotency-Key", "a")])
    request.idempotencyKey = "b"
    let twice = request
    #expect(await isMisuse { try await client.send(twice) })
  }

  private func isMisuse(_ body: () async throws -> some Sendable) async -> Bool {
    if case .misuse = await failure(body) { true } else { false }
  }

  private func isCannotVerify(_ body: () async throws -> some Sendable) async -> Bool {
    if case .cannotVerify = await failure(body) { true } else { false }
  }
}
