/// Why the program does not do what was asked, or leaves a file alone.
struct Refusal: Error, CustomStringConvertible {
  let text: String
  /// The exit status, of sysexits.h, if nothing is done at all.
  var status: Int32 = 65
  var description: String { text }

  static func noFolder(_ path: String) -> Refusal { Refusal(text: "\(path) is no folder that can be read", status: 74) }
  static func noOutput(_ path: String, _ reason: String) -> Refusal { Refusal(text: "\(path) \(reason)", status: 74) }
  static func notClean(_ reason: String) -> Refusal { Refusal(text: "nothing is written: \(reason)", status: 69) }
}
