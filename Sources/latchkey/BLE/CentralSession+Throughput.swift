import CoreBluetooth
import Foundation

/// How the session measures a link.
extension CentralSession {
  /// The longest value of one write without a response.
  var longestCommand: Int { queue.sync { peripheral?.maximumWriteValueLength(for: .withoutResponse) ?? 20 } }

  /// Writes values without a response until `end`, as fast as the link accepts them, and waits until the last one has left.
  ///
  /// - Returns: how many.
  func flood(_ path: AttributePath, with value: [UInt8], until end: ContinuousClock.Instant) async throws -> Int {
    let characteristic = try find(path).characteristic
    let data = Data(value)
    var count = 0
    while ContinuousClock.now < end {
      try Task.checkCancellation()
      try await wait(for: .readiness) { [self] in
        guard let peripheral else { return fail(Failure("there is no connection")) }
        if peripheral.canSendWriteWithoutResponse { fulfill(.readiness, nil) }
      }
      count += queue.sync {
        var written = 0
        while written < 64, let peripheral, peripheral.canSendWriteWithoutResponse {
          peripheral.writeValue(data, for: characteristic.value, type: .withoutResponse)
          written += 1
        }
        return written
      }
    }
    await passBehind(path)
    return count
  }

  /// Times of requests that the device answers, one after the other, each with any answer.
  func roundTrips(_ count: Int, at path: AttributePath) async throws -> [Duration] {
    var times: [Duration] = []
    let clock = ContinuousClock()
    for _ in 0..<count {
      let start = clock.now
      do {
        _ = try await read(path)
      } catch is CBATTError {
        // A refusal is an answer, too.
      }
      times.append(clock.now - start)
    }
    return times
  }
}
