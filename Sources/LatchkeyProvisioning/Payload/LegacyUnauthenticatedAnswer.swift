import Foundation

/// A legacy device's answer to its credentials. Nothing proves that the device sent it.
public enum LegacyUnauthenticatedAnswer: Equatable, Sendable {
  /// `{"code":0}`, 1 or 2: the result for the payload.
  case code(Code)
  /// `{"status":"connected"}` or `{"status":"failed"}`: whether the device is on the network.
  case status(Status)
  /// Any other text.
  case text(String)

  /// The codes of an answer.
  public enum Code: Int, Sendable, CaseIterable {
    /// The device accepted the payload.
    case accepted = 0
    /// The device refused the payload.
    case refused = 1
    /// The device could not join the network.
    case couldNotJoin = 2
  }

  /// Whether the device is on the network.
  public enum Status: String, Sendable, CaseIterable {
    /// It is.
    case connected
    /// It could not join.
    case failed
  }

  /// The longest text that is parsed; a longer one is `text`.
  static let maximumJSONLength = 1024

  /// The answer in `text`. An object with neither a known code nor a known status is `text`, as any other text is.
  public init(_ text: String) {
    guard text.utf8.count <= Self.maximumJSONLength,
      let members = try? JSONDecoder().decode(Members.self, from: Data(text.utf8))
    else {
      self = .text(text)
      return
    }
    if let code = members.code.flatMap(Code.init(rawValue:)) {
      self = .code(code)
    } else if let status = members.status.flatMap(Status.init(rawValue:)) {
      self = .status(status)
    } else {
      self = .text(text)
    }
  }

  /// The text that is sent.
  public var text: String {
    switch self {
    case .code(let code): "{\"code\":\(code.rawValue)}"
    case .status(let status): "{\"status\":\"\(status.rawValue)\"}"
    case .text(let text): text
    }
  }

  private struct Members: Decodable {
    let code: Int?
    let status: String?
  }
}
