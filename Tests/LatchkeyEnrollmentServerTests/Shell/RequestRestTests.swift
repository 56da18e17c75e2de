import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Bodies that still arrive when their request begins", .timeLimit(.minutes(10)))
struct RequestRestTests {
  private struct Broken: Error {}

  @Test("A consumer that takes nothing is full soon, and asks for more once it has taken what there was")
  func demand() async throws {
    let asked = Atomic<Int>(0)
    let (body, rest) = RequestRest.sequence { asked.add(1, ordering: .sequentiallyConsistent) }
    var count = 0
    while !rest.isFull, count < 1000 {
      rest.add(ByteBuffer(bytes: [UInt8(truncatingIfNeeded: count)]))
      count += 1
    }
    #expect(rest.isFull && count < 10)
    #expect(asked.load(ordering: .sequentiallyConsistent) == 0)
    var parts = body.makeAsyncIterator()
    for number in 0..<count {
      let part = try await parts.next()
      #expect(part == ByteBuffer(bytes: [UInt8(truncatingIfNeeded: number)]))
    }
    #expect(asked.load(ordering: .sequentiallyConsistent) > 0)
    rest.end()
    let end = try await parts.next()
    #expect(end == nil)
  }

  @Test("What ends a body early is thrown behind the bytes that had arrived")
  func broken() async throws {
    let (body, rest) = RequestRest.sequence {}
    rest.add(ByteBuffer(string: "a"))
    rest.end(Broken())
    var parts = body.makeAsyncIterator()
    let part = try await parts.next()
    #expect(part == ByteBuffer(string: "a"))
    await #expect(throws: Broken.self) { _ = try await parts.next() }
  }

  @Test("A body of which the producer is gone has an end")
  func abandoned() async throws {
    let body = {
      let (body, rest) = RequestRest.sequence {}
      rest.add(ByteBuffer(string: "a"))
      return body
    }()
    var text = ""
    for try await part in body { text += String(buffer: part) }
    #expect(text == "a")
  }
}
