import LatchkeyKeychainModel
import Synchronization
import Testing

@Suite("ClosurePrompter") struct ClosurePrompterTests {
  private let question = PresenceQuestion(.passcode, reason: "to read the item", complaint: "wrong")

  @Test("The closure gets the question and the cancellation, and its answer comes back unchanged") func answer() throws
  {
    let cancellation = Cancellation()
    let question = question
    let prompter = ClosurePrompter { asked, given throws(PresenceError) in
      #expect(asked == question)
      #expect(given === cancellation)
      return Array("päss\0".utf8)
    }
    #expect(try prompter.answer(question, cancellation: cancellation) == Array("päss\0".utf8))
  }

  @Test(
    "An error of the closure comes back as it is",
    arguments: [PresenceError.userCancel, .userFallback, .appCancel, .systemCancel, .notInteractive("no window")])
  func refusal(_ error: PresenceError) {
    let prompter = ClosurePrompter { _, _ throws(PresenceError) in throw error }
    let refused = failure { () throws(PresenceError) in
      try prompter.answer(question, cancellation: Cancellation())
    }
    #expect(refused == error)
  }

  @Test("Messages go to the closure that shows them, and never to the one that answers") func messages() {
    let shown = Mutex<[String]>([])
    let asked = Mutex(0)
    let prompter = ClosurePrompter(show: { message in shown.withLock { $0.append(message) } }) {
      _, _ throws(PresenceError) in
      asked.withLock { $0 += 1 }
      return []
    }
    prompter.show("place your finger on the reader")
    prompter.show("")
    #expect(shown.withLock { $0 } == ["place your finger on the reader", ""])
    #expect(asked.withLock { $0 } == 0)
  }

  @Test("Without a closure that shows messages no prompt replaces it") func lostMessages() {
    let asked = Mutex(0)
    let prompter = ClosurePrompter { _, _ throws(PresenceError) in
      asked.withLock { $0 += 1 }
      return []
    }
    prompter.show("place your finger on the reader")
    #expect(asked.withLock { $0 } == 0)
  }
}
