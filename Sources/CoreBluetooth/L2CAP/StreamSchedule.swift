import Foundation

/// The run loops of a stream, and the events that wait for them.
///
/// An event is a timer without delay in each run loop and mode: on Linux a timer that another thread adds wakes a
/// sleeping loop, and a block does not. Whichever is first delivers all that waits. Unchecked: all is under the lock.
final class StreamSchedule: @unchecked Sendable {
  private struct Place {
    let loop: RunLoop
    let mode: RunLoop.Mode
  }

  /// In the order in which they are delivered.
  private static let events: [Stream.Event] = [
    .openCompleted, .hasBytesAvailable, .hasSpaceAvailable, .errorOccurred, .endEncountered,
  ]

  private let lock = NSLock()
  private weak var stream: (any Stream & ScheduledStream)?
  private var places: [Place] = []
  private var waiting: Stream.Event = []
  private var timers: [Timer] = []

  /// Sets the stream whose delegate gets the events.
  func attach(_ stream: any Stream & ScheduledStream) { lock.withLock { self.stream = stream } }

  /// Adds a run loop. Events that wait are delivered there.
  func add(_ loop: RunLoop, _ mode: RunLoop.Mode) {
    lock.withLock {
      guard !places.contains(where: { $0.loop === loop && $0.mode == mode }) else { return }
      places.append(Place(loop: loop, mode: mode))
      post()
    }
  }

  /// Removes a run loop.
  func remove(_ loop: RunLoop, _ mode: RunLoop.Mode) {
    lock.withLock {
      places.removeAll { $0.loop === loop && $0.mode == mode }
      post()
    }
  }

  /// Delivers events as soon as there is a run loop.
  func signal(_ events: Stream.Event) {
    guard !events.isEmpty else { return }
    lock.withLock {
      let isFirst = waiting.isEmpty
      waiting.formUnion(events)
      if isFirst { post() }
    }
  }

  /// Drops the events that wait, and all run loops.
  func close() {
    lock.withLock {
      places = []
      waiting = []
      post()
    }
  }

  /// Replaces the timers by those for what waits now.
  private func post() {
    for timer in timers { timer.invalidate() }
    timers = []
    guard !waiting.isEmpty else { return }
    for place in places {
      let timer = Timer(timeInterval: 0, repeats: false) { [self] _ in deliver() }
      timers.append(timer)
      place.loop.add(timer, forMode: place.mode)
    }
  }

  /// Calls the delegate. Runs on the thread of one of the run loops.
  private func deliver() {
    let (stream, events) = lock.withLock {
      defer {
        waiting = []
        post()
      }
      return (self.stream, waiting)
    }
    guard let stream else { return }
    for event in Self.events where events.contains(event) && stream.isCurrent(event) {
      stream.delegate?.stream(stream, handle: event)
    }
  }
}

/// A stream whose events a `StreamSchedule` delivers.
protocol ScheduledStream {
  /// Whether an event that waited is still true.
  func isCurrent(_ event: Stream.Event) -> Bool
}
