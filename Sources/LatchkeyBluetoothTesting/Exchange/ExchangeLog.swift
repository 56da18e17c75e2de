import Foundation
import LatchkeyBluetoothTransports
import Synchronization

/// The latest packets between the hosts of a radio and their controllers.
final class ExchangeLog: Sendable {
  struct Record {
    let time: Duration
    let controller: String
    let direction: PacketDirection
    let packet: [UInt8]
  }

  /// A ring: a test of hours must not fill the memory.
  private struct Ring {
    var records: [Record] = []
    var next = 0
    var dropped = 0
    /// Those dropped ones that tell whose addresses and links later packets name.
    var introductions: [Record] = []

    mutating func append(_ record: Record) {
      guard records.count == ExchangeLog.capacity else { return records.append(record) }
      let oldest = records[next]
      if ExchangeDecoder.introduces(oldest.packet) {
        if introductions.count == ExchangeLog.capacity { introductions.removeFirst(ExchangeLog.capacity / 2) }
        introductions.append(oldest)
      }
      records[next] = record
      next = (next + 1) % ExchangeLog.capacity
      dropped += 1
    }
  }

  /// How many packets are remembered.
  static let capacity = 16_384

  private let ring = Mutex(Ring())

  /// Records a packet.
  func add(_ packet: [UInt8], _ direction: PacketDirection, _ controller: String, at time: Duration) {
    let record = Record(time: time, controller: controller, direction: direction, packet: packet)
    ring.withLock { $0.append(record) }
  }

  /// The lines of what is remembered, oldest first.
  var lines: [String] {
    let remembered = ring.withLock { $0 }
    var decoder = ExchangeDecoder()
    for record in remembered.introductions { _ = decoder.lines(of: record) }
    let lines = (remembered.records[remembered.next...] + remembered.records[..<remembered.next]).flatMap {
      decoder.lines(of: $0)
    }
    return remembered.dropped == 0 ? lines : ["… \(remembered.dropped) older packets"] + lines
  }
}

extension TestRadio {
  /// The exchange so far, decoded: a line for each PDU, and for what opens and ends links. The oldest come first; only the
  /// latest 16 384 packets are remembered.
  public var exchange: [String] { log.lines }

  /// ``exchange`` as one text, for a test that fails: `XCTAssertEqual(a, b, radio.describeExchange())`.
  public func describeExchange() -> String { exchange.joined(separator: "\n") }

  /// Runs `body`, and prints the exchange to standard error if it throws.
  ///
  /// - Throws: what `body` throws.
  public func explaining<R>(_ body: () throws -> R) rethrows -> R {
    do { return try body() } catch {
      printExchange()
      throw error
    }
  }

  /// Runs `body`, and prints the exchange to standard error if it throws.
  ///
  /// - Throws: what `body` throws.
  public func explaining<R>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
  ) async rethrows -> R {
    do { return try await body() } catch {
      printExchange()
      throw error
    }
  }

  private func printExchange() {
    FileHandle.standardError.write(Data("Exchange on \(name):\n\(describeExchange())\n".utf8))
  }
}

extension TestRadio: CustomStringConvertible {
  /// The radio's name and the exchange: `#expect(app.isConnected, "\(radio)")` prints it on failure.
  public var description: String { "\(name)\n\(describeExchange())" }
}
