import Foundation
import Glibc
import Synchronization
import Testing

@testable import latchkey

@Suite("Lines of standard input") struct InputLinesTests {
  @Test("all lines come in order, and none is read long before it is asked for") func bounded() async throws {
    var ends: [CInt] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer { close(reading) }
    let count = 40_000
    let written = Mutex(0)
    Thread.detachNewThread {
      for number in 0..<count {
        let line = Array("\(number) \(String(repeating: "x", count: 90))\n".utf8)
        guard write(writing, line, line.count) == line.count else { break }
        written.withLock { $0 += line.count }
      }
      close(writing)
    }
    var (number, taken) = (0, 0)
    let lines = InputLines.stream(from: reading)
    // Nothing is asked for until the pipe is full and stays so, or all has been read.
    var polls = 0
    while polls < 20_000 {
      var waiting: CInt = 0
      _ = ioctl(reading, UInt(FIONREAD), &waiting)
      polls = waiting > 60_000 ? polls + 1 : 0
      if waiting == 0, written.withLock({ $0 }) > 3_000_000 { break }
      sched_yield()
    }
    for await line in lines {
      guard case .text(let text) = line, text.hasPrefix("\(number) ") else {
        Issue.record("\(line), not \(number)")
        return
      }
      taken += text.utf8.count + 1
      // A pipe's 64 KiB, a chunk's 64 KiB, and some lines.
      try #require(written.withLock { $0 } - taken < 192 * 1024)
      number += 1
    }
    #expect(number == count)
  }
}
