internal import Foundation
internal import Hummingbird
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentServer

/// The query parameters of an old client. A plus is a literal plus: the old client never escapes it, and base64 contains it.
struct LegacyQuery {
  private let parameters: [String: String]

  init(_ request: Request) { self.init(request.head.path ?? "") }

  /// Parses the parameters of a path with its query; repeated names, and values that are not percent-encoded UTF-8, are
  /// ignored.
  init(_ target: String) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var parameters: [String: String] = [:]
    var twice: Set<String> = []
    for pair in parts.count == 2 ? parts[1].split(separator: "&") : [] {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = String(sides[0]).removingPercentEncoding,
        let value = String(sides.count == 2 ? sides[1] : "").removingPercentEncoding
      else { continue }
      if parameters.updateValue(value, forKey: name) != nil { twice.insert(name) }
    }
    self.parameters = parameters.filter { !twice.contains($0.key) }
  }

  subscript(_ name: String) -> String? { parameters[name] }
}
