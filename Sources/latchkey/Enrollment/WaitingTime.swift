import ArgumentParser

/// How long to wait for a person: a number with its unit, `90s`, `10m`, `2h`, at most a day; or `0`.
struct WaitingTime {
  let seconds: Int64

  static let none = WaitingTime(seconds: 0)

  private init(seconds: Int64) { self.seconds = seconds }

  /// - Throws: `ValidationError`.
  init(typed text: String) throws {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600]
    guard text != "0" else {
      self = .none
      return
    }
    let digits = text.dropLast()
    guard let unit = text.last.flatMap({ units[$0] }), (1...6).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int64(digits), count * unit <= 86_400
    else { throw ValidationError("a time is a number with its unit, s, m or h, at most a day: 90s, 10m, 2h") }
    seconds = count * unit
  }
}
