internal import HTTPTypes
internal import Hummingbird
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentServer
internal import LatchkeySealedMessages

/// Encodes responses in the old service's form: JSON with the type `text/html`, members in this order.
enum LegacyAnswer {
  static let contentType = "text/html"

  /// The reason in the response, beside the status. An envelope that cannot be opened has one reason for every defect.
  enum Refusal: Error {
    case integrity, invalid, unapproved, unknownAccount, insufficientFunds
    /// An invalid transfer date, with the remedy.
    case date(String)

    var text: String {
      switch self {
      case .integrity: "Message Integrity Error"
      case .invalid: "Invalid Transfer"
      case .unapproved: "Approval Required"
      case .unknownAccount: "Unknown Account"
      case .insufficientFunds: "Insufficient Funds"
      case .date(let advice): "Invalid Transfer Date: \(advice)"
      }
    }
  }

  static func success(_ members: [(key: String, value: String)]) -> Response {
    Response.bytes(
      LegacyJSON.object([("result", "SUCCESS"), ("additional_info", "")] + members, asASCII: true),
      type: contentType)
  }

  static func refusal(_ text: String, status: HTTPResponse.Status) -> Response {
    var response = Response.bytes(
      LegacyJSON.object([("result", "ERROR"), ("additional_info", text)], asASCII: true), type: contentType,
      status: status)
    // 401 makes the old client prompt for its password.
    if status == .unauthorized { response.headers[.wwwAuthenticate] = "Basic realm=\"latchkey\"" }
    return response
  }

  /// Runs `body`, and encodes its refusal in the old service's form. Server errors and rate limits get the usual responses.
  static func of(_ body: () async throws -> Response) async throws -> Response {
    do {
      return try await body()
    } catch let refused as Refusal {
      return refusal(refused.text, status: .badRequest)
    } catch let problem as Problem {
      switch problem.code {
      case .notAuthenticated, .certificateRequired: return refusal("Not Authenticated", status: .unauthorized)
      case .revoked, .notPermitted: return refusal("Not Permitted", status: .forbidden)
      case .malformedRequest: return refusal("Malformed Request", status: .badRequest)
      default: throw problem
      }
    }
  }
}
