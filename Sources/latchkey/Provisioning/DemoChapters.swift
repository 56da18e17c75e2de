import LatchkeyCommandLine
import Synchronization

/// Numbered steps on standard output.
final class DemoChapters: Sendable {
  private let output: EventOptions
  private let count = Counter()

  init(_ output: EventOptions) { self.output = output }

  /// A step; `event` names it in JSON, where a step without a name is not printed.
  func begin(_ line: String, _ event: String? = nil, _ fields: KeyValuePairs<String, JSONLine.Value> = [:]) {
    if output.json {
      if let event { output.emit(nil, event, fields) }
      return
    }
    let number = "\(count.next())"
    output.emit(String(repeating: " ", count: max(0, 2 - number.count)) + "\(number)  \(line)", "step")
  }

  /// A line that belongs to the step.
  func add(_ line: String) {
    if !output.json { output.emit("      \(line)", "step") }
  }

  /// What protects the step.
  func protection(_ text: String) { add("protected by: \(text)") }

  /// An empty line.
  func space() { output.emit("", "step") }
}

/// Counts from one.
final class Counter: Sendable {
  private let value = Mutex(0)

  /// The next number.
  func next() -> Int {
    value.withLock { value in
      value += 1
      return value
    }
  }
}
