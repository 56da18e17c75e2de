import OSLog
import Testing

struct SignpostTests {
  @Test("Signposts do nothing, and are disabled")
  func nothing() {
    let log = OSLog(subsystem: "test.signposts", category: .pointsOfInterest)
    RecordedLog.start("test.signposts")
    os_signpost(.begin, log: log, name: "scan")
    os_signpost(.event, log: log, name: "scan", signpostID: OSSignpostID(log: log), "%d found", 3)
    os_signpost(.end, log: log, name: "scan", signpostID: .exclusive, "\(3) found")
    let signposter = OSSignposter(logHandle: log)
    let state = signposter.beginInterval("scan", id: signposter.makeSignpostID(), "of \("Anna")")
    signposter.emitEvent("found")
    signposter.endInterval("scan", state, "\(3)")
    #expect(!signposter.isEnabled && !OSSignposter.disabled.isEnabled)
    #expect(RecordedLog.of("test.signposts").isEmpty)
  }

  @Test("Identifiers are different, those of an object are the same")
  func identifiers() {
    final class Object {}
    let (first, second) = (Object(), Object())
    let signposter = OSSignposter()
    #expect(signposter.makeSignpostID() != signposter.makeSignpostID())
    #expect(signposter.makeSignpostID(from: first) == OSSignpostID(log: .default, object: first))
    withExtendedLifetime((first, second)) {
      #expect(signposter.makeSignpostID(from: first) != signposter.makeSignpostID(from: second))
    }
    #expect(OSSignpostID.null != .invalid && OSSignpostID.null < .exclusive)
  }

  @Test("An interval around a task gives the task's result, or its error")
  func around() {
    struct Failure: Error {}
    #expect(OSSignposter().withIntervalSignpost("a") { 5 } == 5)
    #expect(throws: Failure.self) { try OSSignposter().withIntervalSignpost("a", "\(1)") { throw Failure() } }
  }
}
