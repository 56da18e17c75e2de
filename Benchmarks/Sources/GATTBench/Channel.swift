import CoreBluetooth

/// The receiving end of a channel. Unchecked: one thread uses the stream.
struct ChannelReceiver: @unchecked Sendable {
  let channel: CBL2CAPChannel

  /// Reads until the channel ends, and reports each count of bytes.
  func receive(_ report: (Int) -> Void) {
    guard let stream = channel.inputStream else { return }
    stream.open()
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      guard count > 0 else { return }
      report(count)
    }
  }
}

/// The sending end of a channel. Unchecked: one thread uses the stream.
struct ChannelSender: @unchecked Sendable {
  /// The MTU of both sides of the benchmark.
  static let length = 2048

  let channel: CBL2CAPChannel

  /// Writes SDUs until `isOver` returns true; each write waits for room.
  func send(until isOver: () -> Bool) {
    guard let stream = channel.outputStream else { return }
    stream.open()
    let sdu = [UInt8](repeating: 0, count: Self.length)
    while !isOver() {
      var rest = sdu[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBufferPointer { bytes in
          bytes.baseAddress.map { stream.write($0, maxLength: bytes.count) } ?? -1
        }
        guard count > 0 else { fatalError("the channel ended") }
        rest = rest.dropFirst(count)
      }
    }
  }
}
