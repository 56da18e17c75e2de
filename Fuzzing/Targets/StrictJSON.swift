// modules: LatchkeyByteCoding
import Foundation
import LatchkeyByteCoding

/// Reads and validates the input under narrow limits and under wide ones. Both ways agree; a value keeps the limits, is JSON to
/// Foundation, and is read as the same from the text that is written for it; an error lies within the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStrictJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let narrow = StrictJSON.Limits(size: 256, depth: 3, members: 4, numberLength: 12)
  let wide = StrictJSON.Limits(size: 1 << 20, depth: 64, members: 1024, allowsNullCharacter: true)
  let value = check(input, narrow)
  let same = check(input, wide)
  if let value, value != same { fatalError("another value under wider limits") }
  return 0
}

private func check(_ input: [UInt8], _ limits: StrictJSON.Limits) -> JSONValue? {
  var refusal: StrictJSONError?
  do throws(StrictJSONError) {
    try StrictJSON.validate(input, within: limits)
  } catch {
    refusal = error
  }
  let value: JSONValue
  do throws(StrictJSONError) {
    value = try StrictJSON.read(input, within: limits)
  } catch {
    guard refusal == error else { fatalError("another error while validating") }
    guard (0...input.count).contains(error.offset) else { fatalError("an offset outside") }
    return nil
  }
  guard refusal == nil else { fatalError("read, but not valid") }
  guard depth(of: value) <= limits.depth, isWithin(value, limits) else { fatalError("a limit is exceeded") }
  guard (try? JSONDecoder().decode(Anything.self, from: Data(input))) != nil else {
    fatalError("JSON to one reader alone")
  }
  let wide = StrictJSON.Limits(
    size: .max, depth: limits.depth, members: limits.members, allowsNullCharacter: limits.allowsNullCharacter)
  guard (try? StrictJSON.read(Array(text(of: value).utf8), within: wide)) == value else { fatalError("another value") }
  return value
}

private func text(of value: JSONValue) -> String {
  switch value {
  case .string(let text): JSONString.quote(text, escapes: .controls)
  case .number(let text): text
  case .boolean(let boolean): "\(boolean)"
  case .null: "null"
  case .array(let values): "[" + values.map(text).joined(separator: ",") + "]"
  case .object(let members):
    "{" + members.map { JSONString.quote($0, escapes: .required) + ":" + text(of: $1) }.joined(separator: ",") + "}"
  }
}

private func depth(of value: JSONValue) -> Int {
  switch value {
  case .array(let values): 1 + (values.map(depth).max() ?? 0)
  case .object(let members): 1 + (members.values.map(depth).max() ?? 0)
  default: 0
  }
}

private func isWithin(_ value: JSONValue, _ limits: StrictJSON.Limits) -> Bool {
  switch value {
  case .string(let text): limits.allowsNullCharacter || !text.utf8.contains(0)
  case .number(let text): text.utf8.count <= limits.numberLength
  case .boolean, .null: true
  case .array(let values): values.allSatisfy { isWithin($0, limits) }
  case .object(let members):
    members.count <= limits.members
      && members.allSatisfy { (limits.allowsNullCharacter || !$0.key.utf8.contains(0)) && isWithin($0.value, limits) }
  }
}

/// Any value; its content is not decoded.
private struct Anything: Decodable {
  init(from decoder: any Decoder) {}
}
