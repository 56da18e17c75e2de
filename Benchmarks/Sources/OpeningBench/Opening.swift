/// What the last connection in an exchange needed until the device had taken the first request. Times are of the radio, in ms.
struct Opening {
  /// Messages of the app that it needed the answer to before it could send the first request.
  let roundTrips: Int
  /// Requests of the Attribute Protocol, each answered before the next: from the first message of the handshake, and from the
  /// connection, up to the one that completed the first request.
  let requests: Int
  let allRequests: Int
  /// From the first message of the handshake: the discovery apart, to which what a device says of itself and a subscription belong.
  let handshake: Double
  /// From the first access to a characteristic of the service, whatever it is for.
  let accesses: Double
  /// From the connection.
  let whole: Double

  /// - Parameter lines: those of `TestRadio.exchange`.
  init(_ lines: [String]) throws {
    var pdus = try lines.map { try Line($0) }
    guard let connection = pdus.lastIndex(where: { $0.text == "connected" }) else {
      throw OpeningBench.Failure.unreadable("no connection")
    }
    let start = pdus[connection].time
    pdus = Array(pdus[(connection + 1)...])
    // The answer to the request is what the device says last before the app ends the link.
    guard let end = pdus.firstIndex(where: { $0.text.hasPrefix("disconnects") }),
      let answer = pdus[..<end].lastIndex(where: {
        !$0.isFromApp && ($0.isNotification || $0.text.hasPrefix("Read Response"))
      }),
      let acceptance = pdus[...answer].lastIndex(where: { $0.text == "Write Response" }),
      let first = pdus.firstIndex(where: { $0.isFromApp && $0.isOfCharacteristic }),
      let message = pdus.firstIndex(where: { $0.isMessage })
    else { throw OpeningBench.Failure.unreadable("no request") }
    var trips = 0
    var awaits = false
    for pdu in pdus[message..<acceptance] {
      if pdu.isMessage { awaits = true }
      if !pdu.isFromApp, pdu.isNotification || pdu.text.hasPrefix("Read Response"), awaits {
        trips += 1
        awaits = false
      }
    }
    roundTrips = trips
    requests = pdus[message..<acceptance].count { $0.isRequest }
    allRequests = pdus[..<acceptance].count { $0.isRequest }
    let accepted = pdus[acceptance].time
    handshake = accepted - pdus[message].time
    accesses = accepted - pdus[first].time
    whole = accepted - start
  }

  var text: String {
    """
    \(roundTrips) round trip\(roundTrips == 1 ? "" : "s") before the request; \(ms(handshake)) and \(requests) ATT requests from the \
    first message; \(ms(accesses)) from the first access; \(ms(whole)) and \(allRequests) ATT requests from the connection
    """
  }

  func ratios(to other: Opening) -> String {
    """
    \(ratio(handshake, other.handshake)) x from the first message (goal: <= 0.5 x), \(ratio(accesses, other.accesses)) x from the \
    first access, \(ratio(whole, other.whole)) x from the connection
    """
  }

  private func ms(_ time: Double) -> String { "\((time * 10).rounded() / 10) ms" }
  private func ratio(_ a: Double, _ b: Double) -> String { "\((a / b * 100).rounded() / 100)" }
}

/// One line of the exchange: `0.030000 s  phone → lamp  Write Request 0x0012 (…) = …`.
private struct Line {
  /// In ms.
  let time: Double
  let isFromApp: Bool
  let text: String

  init(_ line: String) throws {
    let parts = line.split(separator: "  ", maxSplits: 2)
    guard parts.count == 3, let seconds = Double(parts[0].dropLast(2)) else {
      throw OpeningBench.Failure.unreadable(line)
    }
    time = seconds * 1000
    isFromApp = parts[1].hasPrefix("phone")
    text = String(parts[2])
  }

  /// Whether its attribute is a characteristic: of others, descriptors, the exchange shows the number alone.
  var isOfCharacteristic: Bool { text.contains(" (") }
  var isNotification: Bool { text.hasPrefix("Handle Value Notification") }
  var isRequest: Bool { isFromApp && text.contains(" Request") }
  /// A value for the protocol.
  var isMessage: Bool {
    isFromApp && isOfCharacteristic
      && ["Write Request", "Write Command", "Prepare Write Request"].contains { text.hasPrefix($0) }
  }
}
