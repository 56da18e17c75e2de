import LatchkeyByteCoding

/// A command or a result: number, length, data, and the low byte of the sum of all before.
package struct ImprovFrame: Hashable, Sendable {
  /// The number of the command, known or not.
  package var command: UInt8
  /// At most 255 bytes.
  package var data: [UInt8]

  /// The bytes around the data.
  package static let overhead = 3
  /// The greatest length of data: its length is one byte.
  package static let greatestDataLength = 255
  package static let greatestLength = overhead + greatestDataLength

  /// Data that is too long is our own mistake; it is cut.
  package init(_ command: ImprovCommand, data: [UInt8] = []) {
    self.command = command.rawValue
    self.data = Array(data.prefix(Self.greatestDataLength))
  }

  /// Reads a value that is one whole frame.
  package init(whole value: [UInt8]) throws(ImprovFrameError) {
    var reader = ByteReader(value)
    do {
      command = try reader.uint8("command")
      let length = try reader.uint8("length")
      data = try reader.bytes(Int(length), "data")
      let checksum = try reader.uint8("checksum")
      guard reader.isEmpty else { throw ImprovFrameError.length }
      guard checksum == Self.checksum(value.dropLast()) else { throw ImprovFrameError.checksum }
    } catch let error as ImprovFrameError {
      throw error
    } catch {
      throw .length
    }
  }

  package var encoded: [UInt8] {
    let bytes = [command, UInt8(data.count)] + data
    return bytes + [Self.checksum(bytes[...])]
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt8 { bytes.reduce(0, &+) }
}

// Data may hold a passphrase.
extension ImprovFrame: CustomStringConvertible, CustomReflectable {
  package var description: String { "command \(command) with \(data.count) bytes" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why bytes are no frame.
package enum ImprovFrameError: Error, Hashable, Sendable {
  /// The value ends before the frame, or after it.
  case length
  case checksum
}

/// Joins the writes of a command: it comes in one long write, or in several that the length byte holds together.
struct ImprovFrameBuffer: Sendable {
  private var bytes: [UInt8] = []
  /// When what is there is given up.
  private(set) var deadline: Duration?

  /// The time that a started command has to end.
  static let limit = Duration.seconds(5)

  /// Takes a value; returns the frame that it completes, or nil while bytes are missing.
  ///
  /// - Throws: the bytes are no frame; they are erased.
  mutating func append(_ value: [UInt8], now: Duration) throws(ImprovFrameError) -> ImprovFrame? {
    if let deadline, now >= deadline { erase() }
    guard !value.isEmpty else { return nil }
    guard bytes.count + value.count <= ImprovFrame.greatestLength else {
      erase()
      throw .length
    }
    // An array that grew would leave its first bytes behind in memory that nobody wipes.
    if bytes.isEmpty { bytes.reserveCapacity(ImprovFrame.greatestLength) }
    bytes += value
    guard bytes.count >= 2, bytes.count >= ImprovFrame.overhead + Int(bytes[1]) else {
      deadline = deadline ?? now + Self.limit
      return nil
    }
    defer { erase() }
    return try ImprovFrame(whole: bytes)
  }

  /// Forgets a command that did not end in time; returns whether there was one.
  mutating func expire(now: Duration) -> Bool {
    guard let deadline, now >= deadline else { return false }
    erase()
    return true
  }

  mutating func erase() {
    bytes.wipe()
    bytes = []
    deadline = nil
  }
}
