import CoreBluetooth
import Foundation

/// Plays a cassette: a machine, into which an app's requests and the time go, and from which answers and values come.
///
/// One tape is for all centrals and all connections. What the device sent keeps its delay after the request that it follows;
/// the answers themselves come at once. In a strict replay, values that the tape has before a request are sent before the
/// answer to it, even when the app asks earlier than it did in the recording.
package struct CassettePlayer: RequestAnswerer {
  private let tape: CassetteTape
  private let texts: CassetteTexts
  private let end: Int
  /// One of both is there.
  private var strict: StrictReplay?
  private var loose: LooseReplay?
  private var due = DueValues()
  /// The first differences of a strict replay, oldest first.
  package private(set) var differences: [CassetteDifference] = []
  /// How many differences there were.
  package private(set) var differenceCount = 0

  /// How many differences are remembered.
  package static let differenceCapacity = 1024

  /// A player at the beginning of the tape.
  ///
  /// - Throws: what is wrong with the cassette.
  package init(_ cassette: Cassette, _ replay: Cassette.Replay) throws(DefinitionError) {
    try cassette.validate()
    var cassette = cassette
    cassette.device = cassette.servedDevice
    tape = CassetteTape(cassette, replay)
    texts = CassetteTexts(cassette.device)
    end = cassette.steps.count
    switch replay {
    case .strict: strict = StrictReplay()
    case .loose: loose = LooseReplay(tape)
    }
  }

  package mutating func answer(_ request: ServedRequest, now: Duration) -> ServedAnswer {
    guard let result = strict?.play(request, tape) else { return answerLoosely(request, now) }
    switch result {
    case .played(let index):
      let before = due.takeAll()
      follow(index, now)
      return ServedAnswer(before: before, outcome: outcome(of: tape.requests[index]))
    case .ignored: return ServedAnswer(outcome: .own)
    case .differs: return ServedAnswer(outcome: .refusal(.unlikelyError), difference: differ(request))
    }
  }

  private mutating func answerLoosely(_ request: ServedRequest, _ now: Duration) -> ServedAnswer {
    let played = loose?.play(request, tape)
    if case .subscription(let characteristic, let isOn) = request {
      // A stream begins anew, or ends.
      due.removeAll(of: characteristic, onlyStreams: isOn)
      if isOn, played == nil, let early = tape.early[characteristic] { due.add(early, isStream: true, now: now) }
    }
    guard let played else { return ServedAnswer(outcome: .own) }
    follow(played, now)
    return ServedAnswer(outcome: outcome(of: tape.requests[played]))
  }

  package var nextDeadline: Duration? { due.nextDeadline }

  package mutating func takeDue(now: Duration) -> [ServedValue] { due.take(now: now) }

  /// The requests of the recording that the app has not done, in its order, without what came.
  package var unplayed: [CassetteDifference] {
    let indices = strict.map { Array($0.position..<tape.requests.count) } ?? loose?.unplayed ?? []
    return indices.map { index in
      let request = tape.requests[index]
      return CassetteDifference(step: request.step, expected: texts.text(of: request), actual: nil)
    }
  }

  private mutating func follow(_ index: Int, _ now: Duration) {
    let request = tape.requests[index]
    due.add(request.sent, isStream: request.kind == .subscription(isOn: true), now: now)
  }

  private func outcome(of request: CassetteTape.Request) -> ServedAnswer.Outcome {
    switch request.kind {
    case .read(let value): .value(value.sentBytes)
    case .readRefusal(let code): .refusal(code)
    case .write(_, let code, _): code == .success ? .own : .refusal(code)
    case .subscription: .own
    }
  }

  private mutating func differ(_ request: ServedRequest) -> CassetteDifference {
    let expected = strict.flatMap { $0.position < tape.requests.count ? tape.requests[$0.position] : nil }
    let difference = CassetteDifference(
      step: expected?.step ?? end, expected: expected.map(texts.text(of:)), actual: texts.text(of: request))
    differenceCount += 1
    if differences.count < Self.differenceCapacity { differences.append(difference) }
    return difference
  }
}
