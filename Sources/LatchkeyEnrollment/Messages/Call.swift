internal import Foundation
internal import LatchkeyEnrollmentProtocol

/// A request of the modern service, which may be sent several times.
struct Call: Sendable {
  /// The authentication of a request, and of its response.
  enum Proof: Sendable {
    /// No client certificate.
    case none
    /// The session's token, without a client certificate. A secret.
    case token(String)
    /// No client certificate; the server must sign its response. For what proves itself by its content.
    case content
    /// The client certificate; whether the answer must be signed by the server's key.
    case certificate(answerIsSigned: Bool)
    /// The client certificate and the identity key's signature; the server must sign its response.
    case signature
  }

  var method: String
  var path: String
  var proof: Proof
  var body: [UInt8] = []
  /// Identifies repetitions of the same request.
  var idempotencyKey: String?
  /// The approval key's signature.
  var approval: Approval?
  /// Whether a repetition is harmless: a read, a request with an idempotency key, or one whose duplicates have no effect.
  var isSafeTwice: Bool

  /// Whether the server signs its response.
  var isAnswerSigned: Bool {
    switch proof {
    case .none, .token, .certificate(answerIsSigned: false): false
    case .content, .certificate(answerIsSigned: true), .signature: true
    }
  }

  /// Whether the client certificate is presented, if there is one.
  var showsCertificate: Bool { if case .content = proof { false } else { true } }

  /// Whether `Accept-Signature` asks for the signed response; a signed request gets one without.
  var asksForSignature: Bool { if case .signature = proof { false } else { isAnswerSigned } }

  /// A read request.
  static func get(_ path: String, _ proof: Proof) -> Call {
    Call(method: "GET", path: path, proof: proof, isSafeTwice: true)
  }

  /// A request with a JSON body.
  static func send(
    _ path: String, _ body: some Encodable, _ proof: Proof, method: String = "POST", idempotencyKey: String? = nil,
    isSafeTwice: Bool = false
  ) throws(EnrollmentError) -> Call {
    Call(
      method: method, path: path, proof: proof, body: try JSON.encode(body), idempotencyKey: idempotencyKey,
      isSafeTwice: isSafeTwice || idempotencyKey != nil)
  }
}

/// Encodes and decodes messages as JSON.
enum JSON {
  static func encode(_ value: some Encodable) throws(EnrollmentError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(value))
    } catch {
      throw .misuse("this cannot be written as JSON")
    }
  }

  static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws(EnrollmentError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch {
      throw .cannotInterpret("the answer is no \(type)")
    }
  }
}
