import Foundation
import LatchkeyPropertyLists
import Testing

@Suite struct SmallStackTests {
  /// Dispatch's threads have half a mebibyte; this leaves a caller a quarter of that.
  @Test("The deepest list that is allowed fits the stack of a worker thread")
  func theDeepestListThatIsAllowedFitsTheStackOfAWorkerThread() async throws {
    let list = nested(64)
    let same = await withCheckedContinuation { continuation in
      let thread = Thread {
        let back = try? PropertyList(parsing: list.binary())
        let marked = try? PropertyList(parsing: list.xml())
        let archived = try? KeyedArchive.read(KeyedArchive.write(list))
        continuation.resume(returning: back == list && marked == list && archived == list)
      }
      thread.stackSize = 384 << 10
      thread.start()
    }
    #expect(same)
  }
}
