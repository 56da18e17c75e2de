internal import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol

/// JSON bodies: decoding is strict, encoding deterministic.
enum JSONBytes {
  /// Encodes a value, with members in alphabetical order.
  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }

  /// Decodes a body. Unknown members are ignored; any text that `StrictJSON` refuses is refused.
  ///
  /// - Throws: `.unsupportedMediaType`; `.tooLarge`; `.malformedRequest` with the position of the defect, never with the
  ///   content.
  static func decode<Value: Decodable>(
    _ body: [UInt8], as type: Value.Type = Value.self, contentType: String?, limits: ServerLimits
  ) throws(Problem) -> Value {
    guard contentType == mediaType || contentType.map(mediaType(of:)) == mediaType else {
      throw Problem(.unsupportedMediaType, detail: "send application/json")
    }
    guard body.count <= limits.bodySize else { throw Problem(.tooLarge) }
    do throws(StrictJSONError) {
      try StrictJSON.validate(
        body, within: StrictJSON.Limits(size: limits.bodySize, depth: limits.jsonDepth, members: memberLimit))
    } catch {
      throw Problem(error.reason == .tooLarge ? .tooLarge : .malformedRequest, detail: detail(of: error.reason))
    }
    do {
      return try JSONDecoder().decode(type, from: Data(body))
    } catch let error as DecodingError {
      throw Problem(.malformedRequest, detail: place(of: error))
    } catch {
      throw Problem(.malformedRequest, detail: "the body is not JSON")
    }
  }

  private static let mediaType = "application/json"

  /// The media type of a field, without parameters.
  private static func mediaType(of field: String) -> String {
    field.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
  }

  /// The limit of members of one object, above that of any body of this service.
  private static let memberLimit = 64

  private static func detail(of reason: StrictJSONError.Reason) -> String? {
    switch reason {
    case .tooLarge: nil
    case .syntax: "the body is not JSON"
    case .trailingText: "the body goes on after its JSON"
    case .tooDeep: "the body is nested too deeply"
    case .tooManyMembers: "an object has too many members"
    case .duplicateName: "an object has a member twice"
    case .numberTooLong: "a number has too many characters"
    case .controlCharacter: "a string has a control character"
    case .invalidUTF8: "a string is not UTF-8"
    case .unpairedLeadSurrogate: "a string has half a surrogate pair"
    case .invalidCharacter: "a string has U+0000 or half a surrogate pair"
    }
  }

  private static func place(of error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context):
      "the member \"\(path(context.codingPath + [key]))\" is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "the member \"\(path(context.codingPath))\" is of another type"
    case .dataCorrupted(let context) where context.codingPath.isEmpty: "the body is not JSON"
    case .dataCorrupted(let context):
      "the member \"\(path(context.codingPath))\" is not as it should be: \(context.debugDescription)"
    @unknown default: "the body is not as it should be"
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
  }
}
