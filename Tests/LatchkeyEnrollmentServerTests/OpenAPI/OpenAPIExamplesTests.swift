import Foundation
import LatchkeyByteCoding
import LatchkeyEnrollmentProtocol
import Testing

@testable import LatchkeyEnrollmentServer

/// The examples of the OpenAPI document are bodies that the types read, and those that the pages show.
@Suite("The examples of the OpenAPI document")
struct OpenAPIExamplesTests {
  /// An example, decoded and encoded again.
  private func again<Value: Codable>(_ type: Value.Type) -> (Data) throws -> Data {
    { data in try JSONEncoder().encode(JSONDecoder().decode(type, from: data)) }
  }

  private var types: [String: (Data) throws -> Data] {
    [
      "PasswordLogin": again(PasswordLogin.self), "LoginAnswer": again(LoginAnswer.self),
      "ChallengeRequest": again(ChallengeRequest.self), "Challenge": again(Challenge.self),
      "KeyLogin": again(KeyLogin.self), "DeviceRegistration": again(DeviceRegistration.self),
      "ServerMadeIdentityRequest": again(ServerMadeIdentityRequest.self), "DeviceStatus": again(DeviceStatus.self),
      "CertificateRevocation": again(CertificateRevocation.self),
      "ApprovalKeyRegistration": again(ApprovalKeyRegistration.self), "Transfer": again(Transfer.self),
      "Problem": again(Problem.self),
    ]
  }

  @Test("Each is of its schema, and its type reads all of it")
  func schemas() throws {
    let text = OpenAPIDocument.value(services: try bank()).text
    let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
    let checker = JSONSchema(components: schemas)
    #expect(Set(try allExamples.keys) == Set(types.keys))
    for (name, example) in try allExamples {
      let data = Data(example.text.utf8)
      let value = try #require(try JSONSerialization.jsonObject(with: data) as? NSDictionary)
      let whole = try #require(schemas[name] as? [String: Any])
      let variants = whole["anyOf"] as? [[String: Any]] ?? [whole]
      #expect(variants.contains { checker.complaints(value, $0).isEmpty }, "\(name)")
      let recode = try #require(types[name])
      #expect(try JSONSerialization.jsonObject(with: recode(data)) as? NSDictionary == value, "\(name)")
    }
  }

  @Test("Each stands beside its schema wherever that is a body")
  func places() throws {
    let text = OpenAPIDocument.value(services: try bank()).text
    for name in try allExamples.keys where name != "Problem" {
      let count = text.matches(of: try Regex(##""schema":\{"\$ref":"#/components/schemas/\##(name)"\}"##)).count
      let examples = text.matches(of: try Regex(#"schemas/\#(name)"\},"example":"#)).count
      #expect(count == examples && (count > 0), "\(name): \(count), \(examples)")
    }
  }

  @Test("Keys, signing request, attestations, signature and digest are those of the pages")
  func pages() throws {
    let (page, transfers) = (try WirePage("EnrollmentProtocol"), try WirePage("AccountsAndTransfers"))
    func text(_ schema: String, _ member: String) throws -> JSONLiteral? { try allExamples[schema]?[member] }
    func base64(_ group: String, _ name: String) throws -> JSONLiteral {
      .string(Base64.encode(try page.bytes(group, name)))
    }
    #expect(try text("LoginAnswer", "token") == .string(page.text("registration", "token")))
    #expect(try text("DeviceRegistration", "signingRequest") == base64("registration", "signing request"))
    #expect(try text("DeviceRegistration", "attestation") == base64("registration", "object"))
    #expect(try text("ApprovalKeyRegistration", "publicKey") == base64("keys", "approval public"))
    #expect(try text("ApprovalKeyRegistration", "attestation") == base64("approval key", "object"))
    #expect(try text("KeyLogin", "signature") == base64("approval key", "login signature"))
    #expect(try text("Challenge", "value") == base64("approval key", "value"))
    let digest = Base64.encode(try transfers.bytes("transfer", "digest"))
    #expect(try text("ChallengeRequest", "content") == .string(digest))
    let transfer = try JSONDecoder().decode(
      Transfer.self, from: Data((try allExamples["Transfer"]?.text ?? "").utf8))
    #expect(try transfer.digest == transfers.bytes("transfer", "digest"))
  }
}
