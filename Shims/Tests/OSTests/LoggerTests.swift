import Foundation
import Logging
import os
import Synchronization
import Testing

struct LoggerTests {
  @Test("Messages reach swift-log with label, category and level")
  func destination() {
    RecordedLog.start("test.destination")
    let logger = os.Logger(subsystem: "test.destination", category: "radio")
    logger.log("a")
    logger.trace("b")
    logger.debug("c")
    logger.info("d")
    logger.notice("e")
    logger.warning("f")
    logger.error("g")
    logger.critical("h")
    logger.fault("i")
    logger.log(level: .error, "j")
    let messages = RecordedLog.of("test.destination")
    #expect(messages.map(\.text) == ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"])
    #expect(
      messages.map(\.level) == [
        .notice, .debug, .debug, .info, .notice, .error, .error, .critical, .critical, .error,
      ])
    #expect(messages.allSatisfy { $0.category == "radio" && $0.source == "test.destination" })
  }

  @Test("A private value never reaches swift-log")
  func privateValues() {
    RecordedLog.start("test.private")
    let logger = os.Logger(subsystem: "test.private", category: "")
    let name = "Anna"
    logger.info("\(name)")
    logger.info("user \(name) with \(3) items, \(name, privacy: .public)")
    logger.info("\(name, privacy: .private) \(name, privacy: .sensitive) \(42, privacy: .private)")
    logger.info("\(name, privacy: .private(mask: .hash)) \(7, privacy: .sensitive(mask: .none))")
    let texts = RecordedLog.texts("test.private")
    #expect(texts[0] == "<private>")
    #expect(texts[1] == "user <private> with 3 items, Anna")
    #expect(texts[2] == "<private> <private> <private>")
    #expect(texts[3].hasPrefix("<mask.hash: '") && texts[3].hasSuffix("'> <private>"))
    #expect(!texts[3].contains("Anna"))
  }

  @Test("What may not appear, or is not wanted, is not even asked for")
  func laziness() {
    RecordedLog.start("test.lazy", from: .error)
    let logger = os.Logger(subsystem: "test.lazy", category: "")
    let asked = Mutex(0)
    func value() -> String {
      asked.withLock { $0 += 1 }
      return "secret"
    }
    logger.debug("\(value(), privacy: .public)")
    logger.error("\(value())")
    #expect(asked.withLock { $0 } == 0)
    logger.error("\(value(), privacy: .public)")
    #expect(asked.withLock { $0 } == 1)
    #expect(RecordedLog.texts("test.lazy") == ["<private>", "secret"])
  }

  @Test("A log says which types it takes, and a disabled one takes none")
  func enabled() {
    RecordedLog.start("test.enabled", from: .error)
    let log = os.OSLog(subsystem: "test.enabled", category: "a")
    #expect(!log.isEnabled(type: .debug) && !log.isEnabled(type: .info) && !log.isEnabled(type: .default))
    #expect(log.isEnabled(type: .error) && log.isEnabled(type: .fault))
    #expect(!os.OSLog.disabled.isEnabled(type: .fault))
    #expect(!log.signpostsEnabled)
    os.Logger(os.OSLog.disabled).fault("never")
    os_log("never", log: .disabled, type: .fault)
    #expect(RecordedLog.of("os").allSatisfy { $0.text != "never" })
  }

  @Test("A logger of a log shares its place, and one without a name is labeled os")
  func sharedLogs() {
    RecordedLog.start("test.shared")
    RecordedLog.start("os")
    os.Logger(os.OSLog(subsystem: "test.shared", category: .pointsOfInterest)).info("x")
    #expect(RecordedLog.of("test.shared").first?.category == "PointsOfInterest")
    os.Logger().info("from the default log")
    let message = RecordedLog.of("os").first { $0.text == "from the default log" }
    #expect(message?.category == nil && message?.source == "os")
  }

  @Test("A type of an unknown value is as important as a message without one")
  func unknownTypes() {
    RecordedLog.start("test.unknown")
    os.OSLog(subsystem: "test.unknown", category: "").isEnabled(type: OSLogType(0xFF))
      ? os.Logger(subsystem: "test.unknown", category: "").log(level: OSLogType(rawValue: 0xFF), "x") : ()
    #expect(RecordedLog.of("test.unknown").map(\.level) == [.notice])
  }
}
