import Foundation

/// What an hour with the strap was like. A rate counts from one measurement to the next.
public struct Workout: Sendable {
  /// The longest time, in seconds, that one measurement stands for. What is longer is a gap, which is not counted.
  public static let longestStep: TimeInterval = 12
  /// The zones begin at these parts of the highest heart rate.
  public static let zoneLimits = [0.6, 0.7, 0.8, 0.9]

  private let highestRate: Int
  private var last: (time: TimeInterval, rate: Int)?
  private var weightedRates = 0.0
  /// The seconds that were measured.
  public private(set) var duration: TimeInterval = 0
  /// The highest rate; 0 before the first.
  public private(set) var maximum = 0
  /// The seconds in each of the five zones, the easiest first.
  public private(set) var zones: [TimeInterval] = [0, 0, 0, 0, 0]

  /// - Parameter highestRate: what the user's heart can reach, beats per minute.
  public init(highestRate: Int) { self.highestRate = highestRate }

  /// The mean rate over the measured time; nil before two measurements.
  public var average: Int? { duration > 0 ? Int((weightedRates / duration).rounded()) : nil }

  /// Adds a measurement.
  public mutating func add(_ rate: Int, at time: TimeInterval) {
    if let last, time > last.time, time - last.time <= Self.longestStep {
      let step = time - last.time
      duration += step
      weightedRates += Double(last.rate) * step
      zones[zone(of: last.rate)] += step
    }
    maximum = max(maximum, rate)
    last = (time, rate)
  }

  /// Ends what the last measurement stands for: the strap has no contact, or is away.
  public mutating func pause() { last = nil }

  /// The summary, for the user.
  public var text: String {
    guard let average else { return "nothing was measured" }
    let minutes = zones.map { String(Int(($0 / 60).rounded())) }.joined(separator: ", ")
    return """
      \(Int((duration / 60).rounded())) min, average \(average), maximum \(maximum), minutes in zones 1 to 5: \(minutes)
      """
  }

  private func zone(of rate: Int) -> Int {
    let part = Double(rate) / Double(max(highestRate, 1))
    return Self.zoneLimits.filter { part >= $0 }.count
  }
}
