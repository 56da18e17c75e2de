import Foundation
import Glibc
import Logging
import OSLog
import Testing

struct OSLogCallTests {
  @Test("Both orders of os_log write, with a format or an interpolation")
  func forms() {
    RecordedLog.start("test.os_log")
    let log = OSLog(subsystem: "test.os_log", category: "c")
    let name = "Anna"
    os_log("%{public}@ has %d", log: log, type: .error, name, 3)
    os_log("%@ has %d", log: log, type: .info, name, 3)
    os_log(.debug, log: log, "%{public}s", name)
    os_log(.fault, log: log, "\(name) has \(3)")
    os_log("50%% done", log: log)
    os_log(.info, log: log, "plain")
    let messages = RecordedLog.of("test.os_log")
    #expect(
      messages.map(\.text) == ["Anna has 3", "<private> has 3", "Anna", "<private> has 3", "50% done", "plain"])
    #expect(messages.map(\.level) == [.error, .info, .debug, .critical, .notice, .info])
  }

  @Test("Without a log the message goes to the default one")
  func defaultLog() {
    RecordedLog.start("os")
    let id = 4711
    os_log("call %d", id)
    os_log("interpolated \(id)")
    os_log(.error, "typed %d", id)
    let texts = Set(RecordedLog.texts("os"))
    #expect(texts.isSuperset(of: ["call 4711", "interpolated 4711", "typed 4711"]))
  }

  @Test("The error number is the caller's, and stays so")
  func errorNumber() {
    RecordedLog.start("test.errno")
    let log = OSLog(subsystem: "test.errno", category: "")
    errno = EACCES
    os_log("%m", log: log)
    let after = errno
    #expect(after == EACCES)
    #expect(RecordedLog.texts("test.errno") == ["Permission denied"])
  }

  @Test("A message that is not wanted is not put together")
  func laziness() {
    RecordedLog.start("test.os_log.lazy", from: .critical)
    let log = OSLog(subsystem: "test.os_log.lazy", category: "")
    final class Witness: NSObject {
      nonisolated(unsafe) var asked = false
      override var description: String {
        asked = true
        return ""
      }
    }
    let witness = Witness()
    os_log("%{public}@", log: log, type: .error, witness)
    #expect(!witness.asked)
    os_log("%{public}@", log: log, type: .fault, witness)
    #expect(witness.asked)
  }
}
