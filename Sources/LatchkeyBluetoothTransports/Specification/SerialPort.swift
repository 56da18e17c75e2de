/// A controller behind a serial line, H4: `PATH[,SPEED]` (Core 6.0 Vol 4 Part A).
public struct SerialPort: Hashable, Sendable {
  /// The device, such as `/dev/ttyACM0`.
  public let path: String
  /// The speed, in bits per second.
  public let speed: Int

  /// The speeds that Linux has names for (termios(3)), from the first one that a controller uses.
  public static let speeds = [
    9_600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 500_000, 576_000, 921_600, 1_000_000, 1_152_000,
    1_500_000, 2_000_000, 2_500_000, 3_000_000, 3_500_000, 4_000_000,
  ]

  /// The speed where none is given: that of Zephyr's `hci_uart`. A device on USB has none.
  public static let standardSpeed = 1_000_000

  /// A port.
  ///
  /// - Throws: a path that is empty or holds a zero byte, or a speed that is none of `speeds`.
  public init(path: String, speed: Int = standardSpeed) throws(SpecificationError) {
    guard !path.isEmpty else { throw .serialPathMissing }
    guard !path.utf8.contains(0) else { throw .badCharacter }
    guard Self.speeds.contains(speed) else { throw .badSpeed("\(speed)") }
    self.path = path
    self.speed = speed
  }

  /// Parses `PATH[,SPEED]`: what follows the last comma is the speed.
  init(_ text: some StringProtocol) throws(SpecificationError) {
    guard let comma = text.lastIndex(of: ",") else {
      try self.init(path: String(text))
      return
    }
    let digits = text[text.index(after: comma)...]
    guard digits.allSatisfy({ "0"..."9" ~= $0 }), let speed = Int(digits) else { throw .badSpeed(String(digits)) }
    try self.init(path: String(text[..<comma]), speed: speed)
  }
}

extension SerialPort: CustomStringConvertible {
  /// `PATH`, or `PATH,SPEED` where the speed is not the standard one.
  public var description: String { speed == Self.standardSpeed ? path : "\(path),\(speed)" }
}
