import AsyncHTTPClient
import Foundation
import LatchkeyEnrollment
import NIOSSL

/// Why a request was not done.
enum RequestFailure: Hashable, Sendable {
  /// Nobody listens there, or the connection broke before anything was sent.
  case noServer(String)
  /// Somebody listens, and does not answer in time; whether the request was sent.
  case noAnswer(isSent: Bool)
  /// The request was sent, all or in part, and the connection broke before the answer was there.
  case broken(String)
  /// Its certificate is not one that the authority has made for this host.
  case untrusted
  /// Nothing was sent: the keychain does not give the identity.
  case keychain(String)
  /// It refuses: the status, and what the answer says.
  case refused(status: Int, String)

  /// - Parameter isSent: whether the server may have the request.
  init(_ error: any Error, isSent: Bool) {
    switch error {
    case let error as EnrollmentError: self = .keychain(error.userMessage)
    case is NIOSSLExtraError: self = .untrusted
    case NIOSSLError.handshakeFailed(let reason):
      self = "\(reason)".contains("CERTIFICATE_VERIFY_FAILED") ? .untrusted : .noServer("the handshake failed")
    case let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout:
      self = .noAnswer(isSent: isSent)
    case let error as HTTPClientError where isSent: self = .broken(error.shortDescription)
    case let error as HTTPClientError: self = .noServer(error.shortDescription)
    default: self = isSent ? .broken("the connection was reset") : .noServer("no connection")
    }
  }

  /// Whether the server may have done what was asked for: it has the request, and has not said that it refuses.
  var leavesOpen: Bool {
    switch self {
    case .noAnswer(let isSent): isSent
    case .broken: true
    // A fault on its way, or somebody before it says so.
    case .refused(let status, _): status >= 500
    case .noServer, .untrusted, .keychain: false
    }
  }

  /// Nil for an answer that says 200.
  init?(status: Int, answer: Data) {
    guard status != 200 else { return nil }
    let members = (try? JSONSerialization.jsonObject(with: answer)) as? [String: Any]
    // The old service's member, and those of every other answer of this server (RFC 9457).
    let text = ["additional_info", "detail", "title"].compactMap { members?[$0] as? String }.first ?? ""
    self = .refused(status: status, text)
  }

  /// What is wrong with a login or a question at `server`, and what helps.
  func explanation(of server: String, root: String) -> String {
    let start = "`latchkey serve --documented --encryption-key @aes --mac-key @mac --state ./server`"
    switch self {
    case .noServer(let reason): return "there is no server at \(server) (\(reason)): start one by \(start)"
    case .broken(let reason): return "the connection to \(server) ended before the answer was there (\(reason))"
    case .noAnswer: return "the server at \(server) does not answer: see whether it is one of \(start)"
    case .untrusted:
      return "\(root) does not vouch for the server at \(server): name the ca.pem in the folder that its --state names"
    case .keychain(let reason): return reason
    case .refused(404, _): return "the server at \(server) does not have the old service: start it by \(start)"
    case .refused(401, let text): return "the user's name or the password is wrong (\(text))"
    case .refused(let status, let text): return "the server refuses (\(status)\(text.isEmpty ? "" : ", \(text)"))"
    }
  }

  /// Which field of a transfer the server does not take, and why.
  func explanation(of transfer: FundsTransferOperation) -> String? {
    guard case .refused(_, let text) = self else { return nil }
    let (from, to) = (transfer._fromAccount ?? "", transfer._toAccount ?? "")
    let dateRefusal = "Invalid Transfer Date: "
    return switch text {
    case _ where text.hasPrefix(dateRefusal): "date: \(text.dropFirst(dateRefusal.count))"
    case "Unknown Account": "from or to: \(from) or \(to) is no account that it knows"
    case "Insufficient Funds": "amount: \(from) has less"
    case "Approval Required":
      "amount: more than the server books without an approval, which the old service does not have"
    case "Invalid Transfer": "amount, from, to or notes: above 0, two different accounts, at most 1024 characters"
    case "Message Integrity Error" where to.count != from.count:
      "to: \(to) has not as many digits as \(from), and a server that has numbers of one length alone takes no other"
    case "Message Integrity Error":
      "the keys, or the date: its keys are others, it had the same message before, or it takes no date of this kind"
    default: nil
    }
  }
}
