package import HTTPTypes
package import Hummingbird
internal import LatchkeyEnrollmentProtocol
internal import NIOCore

extension Request {
  /// The body's bytes.
  package func bytes(within limits: ServerLimits) async throws -> [UInt8] {
    Array(buffer: try await body.collect(upTo: limits.bodySize))
  }

  /// Decodes the body's JSON.
  ///
  /// - Throws: ``Problem``, as ``JSONBytes`` does.
  func value<Value: Decodable>(within limits: ServerLimits) async throws -> Value {
    try JSONBytes.decode(await bytes(within: limits), contentType: headers[.contentType], limits: limits)
  }
}

extension Response {
  /// An unsigned JSON response.
  static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    bytes(try JSONBytes.encode(value), type: "application/json", status: status)
  }

  /// An unsigned response of any type.
  package static func bytes(_ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
