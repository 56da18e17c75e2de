import Foundation
import LatchkeyEnrollmentProtocol

/// As much of JSON Schema 2020-12 as the OpenAPI document uses; what it does not know, it complains of.
struct JSONSchema {
  let components: [String: Any]
  /// Gets the name of each schema that an object is of, and the object's members.
  var noticed: (String, Set<String>) -> Void = { _, _ in }

  /// The differences between `value` and `schema`; empty if there are none.
  func complaints(_ value: Any, _ schema: [String: Any], at place: String = "$") -> [String] {
    var found: [String] = []
    for (keyword, wanted) in schema {
      switch keyword {
      case "$ref":
        let name = (wanted as? String)?.split(separator: "/").last.map(String.init) ?? ""
        guard let referred = components[name] as? [String: Any] else { return ["\(place): no schema \(name)"] }
        let differences = complaints(value, referred, at: place)
        if differences.isEmpty, let members = value as? [String: Any] { noticed(name, Set(members.keys)) }
        found += differences
      case "anyOf":
        let options = wanted as? [[String: Any]] ?? []
        if !options.contains(where: { complaints(value, $0, at: place).isEmpty }) { found.append("\(place): anyOf") }
      case "type": if !isOf(wanted as? String ?? "", value) { found.append("\(place): is no \(wanted)") }
      case "enum":
        let isAllowed =
          (wanted as? [String])?.contains(value as? String ?? "")
          ?? (wanted as? [Int])?.contains(value as? Int ?? .min) ?? false
        if !isAllowed { found.append("\(place): not of the enum") }
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
      case "maxItems": if (value as? [Any] ?? []).count > wanted as? Int ?? 0 { found.append("\(place): maxItems") }
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
      case "contentSchema":
        // A JSON object in base64url.
        let bytes = (value as? String).flatMap { Base64URL.decode($0) } ?? []
        if let content = try? JSONSerialization.jsonObject(with: Data(bytes)) {
          found += complaints(content, wanted as? [String: Any] ?? [:], at: place)
        } else {
          found.append("\(place): no JSON in base64url")
        }
      // Members that are in no schema are found in any case.
      case "additionalProperties" where wanted as? Bool == false: break
      case "description", "examples", "format", "contentEncoding", "contentMediaType": break
      default: found.append("\(place): the keyword \(keyword) is not known here")
      }
    }
    return found
  }

  /// Values that differ in one place from `value`, which is of `schema` or of its content: a required member is missing, or a value is
  /// none of its enum.
  func spoiled(_ value: Any, _ schema: [String: Any], at place: String = "$") -> [(String, Any)] {
    let forms = (schema["anyOf"] as? [[String: Any]] ?? [schema]).map(resolved)
    guard let form = forms.first(where: { complaints(value, $0).isEmpty }) else { return [] }
    if form["enum"] != nil { return [("\(place): not of the enum", value is String ? "x" : 4)] }
    if let first = (value as? [Any])?.first {
      return spoiled(first, form["items"] as? [String: Any] ?? [:], at: "\(place)[0]").map { ($0, [$1]) }
    }
    guard let members = value as? [String: Any] else { return [] }
    var found: [(String, Any)] = (form["required"] as? [String] ?? []).map { name in
      ("\(place).\(name): missing", members.filter { $0.key != name })
    }
    for (name, property) in form["properties"] as? [String: [String: Any]] ?? [:] {
      guard let member = members[name] else { continue }
      found += spoiled(member, property, at: "\(place).\(name)").map { what, other in
        (what, members.merging([name: other]) { $1 })
      }
    }
    return found
  }

  private func resolved(_ schema: [String: Any]) -> [String: Any] {
    if let content = schema["contentSchema"] as? [String: Any] { return resolved(content) }
    guard let name = (schema["$ref"] as? String)?.split(separator: "/").last else { return schema }
    return resolved(components[String(name)] as? [String: Any] ?? [:])
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
