import Foundation

/// As much of JSON Schema 2020-12 as the OpenAPI document uses; what it does not know, it complains of.
struct JSONSchema {
  let components: [String: Any]

  /// The differences between `value` and `schema`; empty if there are none.
  func complaints(_ value: Any, _ schema: [String: Any], at place: String = "$") -> [String] {
    var found: [String] = []
    for (keyword, wanted) in schema {
      switch keyword {
      case "$ref":
        let name = (wanted as? String)?.split(separator: "/").last.map(String.init) ?? ""
        guard let referred = components[name] as? [String: Any] else { return ["\(place): no schema \(name)"] }
        found += complaints(value, referred, at: place)
      case "anyOf":
        let options = wanted as? [[String: Any]] ?? []
        if !options.contains(where: { complaints(value, $0, at: place).isEmpty }) { found.append("\(place): anyOf") }
      case "type": if !isOf(wanted as? String ?? "", value) { found.append("\(place): is no \(wanted)") }
      case "enum":
        let allowed = wanted as? [String] ?? []
        if !allowed.contains(value as? String ?? "") { found.append("\(place): not of the enum") }
      case "pattern":
        if let text = value as? String, text.range(of: wanted as? String ?? "", options: .regularExpression) == nil {
          found.append("\(place): not of the pattern")
        }
      case "minLength", "maxLength":
        let (length, bound) = ((value as? String)?.unicodeScalars.count ?? 0, wanted as? Int ?? 0)
        if value is String, keyword == "minLength" ? length < bound : length > bound {
          found.append("\(place): \(keyword)")
        }
      case "minimum", "maximum":
        let (number, bound) = (value as? Int ?? 0, wanted as? Int ?? 0)
        if keyword == "minimum" ? number < bound : number > bound { found.append("\(place): \(keyword)") }
      case "minItems": if (value as? [Any] ?? []).count < wanted as? Int ?? 0 { found.append("\(place): minItems") }
      case "items":
        for (index, item) in (value as? [Any] ?? []).enumerated() {
          found += complaints(item, wanted as? [String: Any] ?? [:], at: "\(place)[\(index)]")
        }
      case "required":
        let members = value as? [String: Any] ?? [:]
        for name in wanted as? [String] ?? [] where members[name] == nil { found.append("\(place).\(name): missing") }
      case "properties":
        let (members, properties) = (value as? [String: Any] ?? [:], wanted as? [String: [String: Any]] ?? [:])
        for (name, member) in members {
          guard let property = properties[name] else {
            found.append("\(place).\(name): not in the schema")
            continue
          }
          found += complaints(member, property, at: "\(place).\(name)")
        }
      case "description", "examples", "format", "contentEncoding": break
      default: found.append("\(place): the keyword \(keyword) is not known here")
      }
    }
    return found
  }

  private func isOf(_ type: String, _ value: Any) -> Bool {
    switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "boolean": value is Bool
    case "integer": value is Int
    case "null": value is NSNull
    default: false
    }
  }
}
