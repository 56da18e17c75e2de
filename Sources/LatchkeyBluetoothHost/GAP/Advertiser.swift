/// Which client's advertising is on the air.
///
/// A controller without extended advertising has one advertising set: the clients that advertise have it in turns, and
/// a client that starts is on the air at once. All share the host's address.
struct Advertiser {
  /// Where the controller is.
  enum Phase: Hashable {
    /// Not advertising.
    case off
    /// The commands that set it up are under way.
    case starting
    /// On the air.
    case on
    /// Setting it up failed, or was not answered: perhaps on the air.
    case unclear
  }

  /// How long a client has the air at least while others wait: some events at the usual intervals.
  static let shortestTurn = Duration.milliseconds(500)
  /// How many advertising events a turn holds at least.
  static let eventsInTurn = 3

  /// One setting up, so that answers to an earlier one are not taken for its own.
  typealias Round = UInt32

  /// The client whose turn it is first.
  private var requests: [(client: ClientID, parameters: AdvertisingParameters)] = []
  /// Clients that have not heard yet whether their advertising began.
  private var unanswered: [ClientID] = []
  var phase = Phase.off
  /// The first command of the setting up that failed: what it set up is not to be on the air.
  var setUpFailure: HCIStatus?

  private var round: Round = 0
  private var turnEnds = Duration.zero

  /// The controller is being set up anew.
  mutating func beginRound(now: Duration) -> Round {
    phase = .starting
    setUpFailure = nil
    round &+= 1
    // Units of 0.625 ms, and the random delay of up to 10 ms (Core 6.0 Vol 6 Part B 4.4.2.2.1).
    let event = Duration.microseconds(625 * Int(current?.parameters.interval ?? 0) + 10_000)
    turnEnds = now + max(Self.shortestTurn, event * Self.eventsInTurn)
    return round
  }

  /// Whether an answer is to the setting up that is under way.
  func isCurrent(_ round: Round) -> Bool { phase == .starting && round == self.round }

  /// Whose parameters are to be on the air.
  var current: (client: ClientID, parameters: AdvertisingParameters)? { requests.first }

  /// Whether a client asked for advertising and has not stopped it.
  func isAdvertising(_ client: ClientID) -> Bool { requests.contains { $0.client == client } }

  /// A client wants to advertise; a later call of the same client replaces the earlier one.
  mutating func start(_ client: ClientID, _ parameters: AdvertisingParameters) {
    requests.removeAll { $0.client == client }
    requests.insert((client, parameters), at: 0)
    unanswered.removeAll { $0 == client }
    unanswered.append(client)
  }

  /// A client stops. Returns whether the air changes.
  mutating func stop(_ client: ClientID) -> Bool {
    let hadTheAir = current?.client == client
    requests.removeAll { $0.client == client }
    unanswered.removeAll { $0 == client }
    return hadTheAir
  }

  /// The controller answered: who is to be told. A failure ends the request of the client that is told.
  mutating func answered(_ status: HCIStatus) -> ClientID? {
    phase = status == .success ? .on : .unclear
    guard let client = current?.client, let index = unanswered.firstIndex(of: client) else { return nil }
    unanswered.remove(at: index)
    if status != .success { requests.removeFirst() }
    return client
  }

  /// When the next client has its turn; nil while none waits. One that was not told yet waits for nothing.
  var nextDeadline: Duration? {
    guard requests.count > 1, phase != .starting else { return nil }
    return unanswered.isEmpty ? turnEnds : .zero
  }

  /// A deadline passed. Returns whether the air changes.
  mutating func handleTimeout(now: Duration) -> Bool {
    guard let deadline = nextDeadline, deadline <= now else { return false }
    let next = requests.firstIndex { unanswered.contains($0.client) } ?? 1
    if next == 1 {
      requests.append(requests.removeFirst())
    } else {
      requests.insert(requests.remove(at: next), at: 0)
    }
    return true
  }

  /// The controller is gone.
  mutating func reset() {
    let round = round
    self = Advertiser()
    self.round = round
  }
}
