import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

/// Transcripts: commands go in, packets and replies come out. Times are seconds since an arbitrary origin.
@Suite struct HCICommandQueueTests {
  private static let resetPacket: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
  private static let randPacket: [UInt8] = [0x01, 0x18, 0x20, 0x00]
  private static let statesPacket: [UInt8] = [0x01, 0x1C, 0x20, 0x00]
  private static let sizePacket: [UInt8] = [0x01, 0x02, 0x20, 0x00]

  private func succeed(
    _ queue: inout HCICommandQueue<String>, _ opcode: HCIOpcode, credits: UInt8 = 1, at time: Duration = .zero
  ) -> String? {
    queue.complete(credits: credits, opcode: opcode, parameters: ByteReader([0x00]), now: time)?.tag
  }

  @Test("One command is sent until its reply arrives") func sendsOneCommandUntilItsReply() {
    var queue = HCICommandQueue<String>()
    queue.enqueue(HCILERand(), tag: "rand", now: .zero)
    queue.enqueue(HCILEReadSupportedStates(), tag: "states", now: .zero)
    #expect(queue.nextPacket(now: .zero) == Self.randPacket)
    #expect(queue.nextPacket(now: .zero) == nil)
    #expect(succeed(&queue, .leRand) == "rand")
    #expect(queue.nextPacket(now: .zero) == Self.statesPacket)
    #expect(succeed(&queue, .leReadSupportedStates) == "states")
    #expect(queue.isIdle)
    #expect(queue.nextDeadline == nil)
  }

  @Test("As many commands are sent as the controller grants") func sendsAsManyAsTheControllerGrants() {
    var queue = HCICommandQueue<String>()
    #expect(succeed(&queue, .none, credits: 2) == nil)
    queue.enqueue(HCILERand(), tag: "rand", now: .zero)
    queue.enqueue(HCILEReadSupportedStates(), tag: "states", now: .zero)
    queue.enqueue(HCILEReadBufferSize(), tag: "size", now: .zero)
    #expect(queue.nextPacket(now: .zero) == Self.randPacket)
    #expect(queue.nextPacket(now: .zero) == Self.statesPacket)
    #expect(queue.nextPacket(now: .zero) == nil)
    // Replies may come in another order.
    #expect(succeed(&queue, .leReadSupportedStates, credits: 0) == "states")
    #expect(queue.nextPacket(now: .zero) == nil)
    #expect(succeed(&queue, .leRand, credits: 1) == "rand")
    #expect(queue.nextPacket(now: .zero) == Self.sizePacket)
  }

  @Test("Without credits nothing is sent until opcode 0 grants them") func noCreditsUntilOpcodeZeroRaisesThem() {
    var queue = HCICommandQueue<String>()
    queue.enqueue(HCIDisconnect(connectionHandle: 1), tag: "a", now: .zero)
    queue.enqueue(HCILERand(), tag: "b", now: .zero)
    #expect(queue.nextPacket(now: .zero) == [0x01, 0x06, 0x04, 0x03, 0x01, 0x00, 0x13])
    let ended = queue.status(.success, credits: 0, opcode: .disconnect, now: .zero)
    #expect(ended?.tag == "a")
    #expect(ended?.reply.status == .success)
    #expect(queue.nextPacket(now: .zero) == nil)
    // As Command Status, as Command Complete: both grant, neither ends anything.
    #expect(queue.status(.success, credits: 0, opcode: .none, now: .zero) == nil)
    #expect(queue.nextPacket(now: .zero) == nil)
    #expect(succeed(&queue, .none, credits: 1) == nil)
    #expect(queue.nextPacket(now: .zero) == Self.randPacket)
  }

  @Test("An unknown command ends by either event") func unknownCommandAsStatusOrAsComplete() {
    for isStatus in [true, false] {
      var queue = HCICommandQueue<String>()
      queue.enqueue(HCILEReadMaximumDataLength(), tag: "length", now: .zero)
      _ = queue.nextPacket(now: .zero)
      let ended =
        isStatus
        ? queue.status(.unknownCommand, credits: 1, opcode: .leReadMaximumDataLength, now: .zero)
        : queue.complete(
          credits: 1, opcode: .leReadMaximumDataLength, parameters: ByteReader([0x01]), now: .zero)
      #expect(ended?.tag == "length")
      #expect(ended?.reply.status == .unknownCommand)
      #expect(ended?.reply.returned(by: HCILEReadMaximumDataLength.self) == nil)
      #expect(queue.isIdle)
    }
  }

  @Test("A command without an answer frees its slot after the timeout")
  func aSilentControllerFreesTheSlotAfterTheTimeout() {
    var queue = HCICommandQueue<String>(timeout: .seconds(3))
    queue.enqueue(HCILERand(), tag: "rand", now: .zero)
    queue.enqueue(HCILEReadSupportedStates(), tag: "states", now: .zero)
    #expect(queue.nextDeadline == nil)
    #expect(queue.nextPacket(now: .seconds(1)) == Self.randPacket)
    #expect(queue.nextDeadline == .seconds(4))
    #expect(queue.expire(now: .milliseconds(3999)) == [])
    #expect(queue.nextPacket(now: .milliseconds(3999)) == nil)
    #expect(queue.expire(now: .seconds(4)) == ["rand"])
    #expect(queue.nextPacket(now: .seconds(4)) == Self.statesPacket)
    #expect(queue.nextDeadline == .seconds(7))
    // The late reply matches no command.
    #expect(succeed(&queue, .leRand, at: .seconds(5)) == nil)
    #expect(succeed(&queue, .leReadSupportedStates, at: .seconds(5)) == "states")
    #expect(queue.expire(now: .seconds(60)) == [])
  }

  @Test("Commands expire in the order of sending") func expiresInTheOrderOfSending() {
    var queue = HCICommandQueue<String>(timeout: .seconds(2))
    _ = succeed(&queue, .none, credits: 3)
    queue.enqueue(HCILERand(), tag: "first", now: .zero)
    queue.enqueue(HCILERand(), tag: "second", now: .zero)
    _ = queue.nextPacket(now: .zero)
    _ = queue.nextPacket(now: .seconds(1))
    #expect(queue.nextDeadline == .seconds(2))
    #expect(queue.expire(now: .seconds(2)) == ["first"])
    #expect(queue.nextDeadline == .seconds(3))
    #expect(queue.expire(now: .seconds(9)) == ["second"])
  }

  @Test("Two commands of one opcode end in their order") func twoOfOneOpcodeEndInTheirOrder() {
    var queue = HCICommandQueue<String>()
    _ = succeed(&queue, .none, credits: 2)
    queue.enqueue(HCILERand(), tag: "first", now: .zero)
    queue.enqueue(HCILERand(), tag: "second", now: .zero)
    while queue.nextPacket(now: .zero) != nil {}
    #expect(succeed(&queue, .leRand) == "first")
    #expect(succeed(&queue, .leRand) == "second")
    #expect(succeed(&queue, .leRand) == nil)
  }

  @Test("Nothing is sent before the reply to Reset") func nothingIsSentBeforeTheReplyToReset() {
    var queue = HCICommandQueue<String>()
    _ = succeed(&queue, .none, credits: 5)
    queue.enqueue(HCIReset(), tag: "reset", now: .zero)
    queue.enqueue(HCILERand(), tag: "rand", now: .zero)
    #expect(queue.nextPacket(now: .zero) == Self.resetPacket)
    #expect(succeed(&queue, .none, credits: 5) == nil)
    #expect(queue.nextPacket(now: .zero) == nil)
    #expect(succeed(&queue, .reset) == "reset")
    #expect(queue.nextPacket(now: .zero) == Self.randPacket)
  }

  /// A controller that grants nothing and owes no reply would hold the queue for ever.
  @Test("Starvation ends after the timeout") func starvationEndsAfterTheTimeout() {
    var queue = HCICommandQueue<String>(timeout: .seconds(3))
    queue.enqueue(HCILERand(), tag: "rand", now: .zero)
    _ = queue.nextPacket(now: .zero)
    _ = succeed(&queue, .leRand, credits: 0, at: .seconds(1))
    #expect(queue.nextDeadline == nil)
    queue.enqueue(HCILEReadSupportedStates(), tag: "states", now: .seconds(2))
    queue.enqueue(HCILERand(), tag: "rand", now: .seconds(3))
    #expect(queue.nextDeadline == .seconds(5))
    #expect(queue.expire(now: .seconds(5)) == [])
    #expect(queue.nextPacket(now: .seconds(5)) == Self.statesPacket)
    #expect(queue.nextPacket(now: .seconds(5)) == nil)
  }

  @Test("Removing all commands returns every tag once") func removeAllGivesEveryTagBackOnce() {
    var queue = HCICommandQueue<String>()
    queue.enqueue(HCILERand(), tag: "a", now: .zero)
    queue.enqueue(HCILERand(), tag: "b", now: .zero)
    queue.enqueue(HCIReset(), tag: "c", now: .zero)
    _ = queue.nextPacket(now: .zero)
    #expect(queue.removeAll() == ["a", "b", "c"])
    #expect(queue.isIdle)
    #expect(queue.removeAll() == [])
    queue.enqueue(HCIReset(), tag: "d", now: .zero)
    #expect(queue.nextPacket(now: .zero) == Self.resetPacket)
  }

  @Test("Replies are decoded to the last byte") func repliesAreReadToTheLastByte() {
    let whole: [UInt8] = [0x00, 1, 2, 3, 4, 5, 6, 7, 8]
    #expect(HCIReply.complete(ByteReader(whole)).returned(by: HCILERand.self)?.number == 0x0807_0605_0403_0201)
    for count in whole.indices {
      #expect(HCIReply.complete(ByteReader(Array(whole[..<count]))).returned(by: HCILERand.self) == nil)
    }
    #expect(HCIReply.complete(ByteReader(whole + [9])).returned(by: HCILERand.self) == nil)
    #expect(HCIReply.complete(ByteReader([0x0C] + whole.dropFirst())).returned(by: HCILERand.self) == nil)
    #expect(HCIReply.complete(ByteReader([])).status == nil)
    #expect(HCIReply.status(.success).returned(by: HCILERand.self) == nil)
    #expect(HCIReply.timedOut.status == nil)
  }
}
