import LatchkeyCommandLine
import LatchkeySystem

/// One line that was typed into `ble explore`.
enum ExploreInput: Equatable, Sendable {
  case devices
  case connect(String)
  case disconnect
  case services
  case read(AttributePath)
  case write(AttributePath, [UInt8])
  case command(AttributePath, [UInt8])
  case send(AttributePath, [UInt8])
  case subscribe(AttributePath)
  case unsubscribe(AttributePath)
  case help
  case quit
  /// A blank line, or a comment.
  case nothing

  /// The grammar, for `--help` and `help`.
  static let grammar = """
    devices               list the devices that were found
    connect DEVICE        connect to a name, an identifier or a number of the list
    disconnect            end the connection
    services              list services, characteristics, descriptors
    read WHERE            read a value
    write WHERE VALUE     write a value, and wait for the answer
    command WHERE VALUE   write a value without an answer
    send WHERE VALUE      write a value, wait for the answer, then read the value back
    subscribe WHERE       have updates notified, or indicated
    unsubscribe WHERE     no more
    help                  print this
    quit                  end; the end of the input does the same

    WHERE is UUID, SERVICE/UUID, or either with :DESCRIPTOR; or @ and a handle.
    A UUID that the Bluetooth SIG assigned may be its name: heart-rate/heart-rate-measurement.
    VALUE is the rest of the line: hex:DIGITS, text:TEXT, or other text as it is.
    An empty value has to be meant: hex: alone, or text: alone.
    """

  /// What a line may begin with.
  static let verbs = [
    "command", "connect", "devices", "disconnect", "exit", "help", "quit", "read", "send", "services", "subscribe",
    "unsubscribe", "write",
  ]

  /// Reads a line.
  ///
  /// - Throws: what is wrong with it.
  init(_ line: String) throws(CentralSession.Failure) {
    let line = line.drop { $0 == " " || $0 == "\t" }
    let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    guard let verb = words.first, !verb.hasPrefix("#") else {
      self = .nothing
      return
    }
    let rest = words.count > 1 ? words[1].drop { $0 == " " } : ""
    switch verb {
    case "devices", "disconnect", "services", "help", "quit", "exit":
      guard rest.allSatisfy({ $0 == " " }) else { throw CentralSession.Failure("\(verb) stands alone") }
      self = Self.single(verb)
    case "connect":
      guard !rest.isEmpty else { throw CentralSession.Failure("connect what?") }
      self = .connect(Self.trimmed(rest))
    case "read": self = .read(try Self.path(rest))
    case "subscribe": self = .subscribe(try Self.path(rest))
    case "unsubscribe": self = .unsubscribe(try Self.path(rest))
    case "write":
      let (path, value) = try Self.assignment(rest)
      self = .write(path, value)
    case "command":
      let (path, value) = try Self.assignment(rest)
      self = .command(path, value)
    case "send":
      let (path, value) = try Self.assignment(rest)
      self = .send(path, value)
    // What the keys of arrows and their like send.
    case let keys where keys.utf8.contains(0x1B):
      throw CentralSession.Failure("arrow keys do nothing here: type a whole line; help lists what can be typed")
    default: throw CentralSession.Failure("\(PrintableText.escaped(String(verb))) is not understood; type help")
    }
  }

  private static func single(_ verb: Substring) -> ExploreInput {
    switch verb {
    case "devices": .devices
    case "disconnect": .disconnect
    case "services": .services
    case "help": .help
    default: .quit
    }
  }

  private static func path(_ text: Substring) throws(CentralSession.Failure) -> AttributePath {
    try AttributePath(trimmed(text))
  }

  private static func assignment(_ text: Substring) throws(CentralSession.Failure) -> (AttributePath, [UInt8]) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    let path = try path(parts.first ?? "")
    // A value of blanks alone is a line that was not finished, too.
    guard parts.count > 1, parts[1].contains(where: { $0 != " " && $0 != "\t" }) else {
      throw CentralSession.Failure("the value is missing: type it behind \(path.text), or hex: alone for an empty one")
    }
    return (path, try TypedValue.bytes(of: parts[1]))
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }
}
