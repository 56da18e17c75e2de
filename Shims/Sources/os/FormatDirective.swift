/// One `%…` of an `os_log` format, as it is written. The format is read as bytes, so that no text ends within a character.
struct FormatDirective {
  enum Count { case none, number(Int), argument }

  var privacy = OSLogPrivacy.auto
  /// How a number is to be decoded, `BOOL` say.
  var decoder = ""
  var flags: Set<Character> = []
  var width = Count.none
  var precision = Count.none
  var conversion: Character = "%"
  /// What was written, for a text that says what is wrong with it.
  var source = ""

  /// The directive after a `%`, and the rest; `nil` if the format ends within it.
  static func read(from rest: inout Substring.UTF8View) -> FormatDirective? {
    var directive = FormatDirective()
    let start = rest
    if rest.first == UInt8(ascii: "{") {
      guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { return nil }
      directive.take(options: Substring(rest[rest.index(after: rest.startIndex)..<end]))
      rest = rest[rest.index(after: end)...]
    }
    while let flag = rest.first, "-+ #0'".utf8.contains(flag) {
      directive.flags.insert(Character(UnicodeScalar(flag)))
      rest.removeFirst()
    }
    directive.width = readCount(from: &rest)
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      directive.precision = readCount(from: &rest)
      if case .none = directive.precision { directive.precision = .number(0) }
    }
    // Swift's arguments know their own size.
    while let modifier = rest.first, "hlqjztL".utf8.contains(modifier) { rest.removeFirst() }
    guard let conversion = Substring(rest).first else { return nil }
    directive.conversion = conversion
    rest = rest.dropFirst(conversion.utf8.count)
    directive.source = "%" + String(decoding: start.prefix(start.count - rest.count), as: UTF8.self)
    return directive
  }

  private static func readCount(from rest: inout Substring.UTF8View) -> Count {
    if rest.first == UInt8(ascii: "*") {
      rest.removeFirst()
      return .argument
    }
    var number: Int?
    while let digit = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) {
      number = min((number ?? 0) * 10 + Int(digit - UInt8(ascii: "0")), largestWidth)
      rest.removeFirst()
    }
    return number.map(Count.number) ?? .none
  }

  /// `{public}`, `{private, mask.hash}`, `{BOOL}`, and so on. Where two contradict each other, the value is hidden.
  private mutating func take(options: Substring) {
    var (isPublic, isPrivate, mask) = (false, false, OSLogPrivacy.Mask.none)
    for option in options.split(separator: ",") {
      switch option.filter({ $0 != " " }) {
      case "public": isPublic = true
      case "private", "sensitive": isPrivate = true
      case "mask.hash": mask = .hash
      case let other: decoder = other
      }
    }
    if isPrivate {
      privacy = .private(mask: mask)
    } else if mask == .hash {
      privacy = .auto(mask: .hash)
    } else if isPublic {
      privacy = .public
    }
  }
}
