/// Decides which client's advertising is on the air in one advertising set of the controller.
///
/// The clients of a set use it in turns, and a client that starts is on the air at once. All share the host's address.
struct Advertiser {
  /// The state of the controller.
  enum Phase: Hashable {
    /// Not advertising.
    case off
    /// The commands that set it up are under way.
    case starting
    /// On the air.
    case on
    /// Setup failed or was not answered: advertising may be on the air.
    case unclear
  }

  /// The minimum turn of a client while others wait: some events at the usual intervals.
  static let shortestTurn = Duration.milliseconds(500)
  /// The minimum number of advertising events in a turn.
  static let eventsInTurn = 3

  /// Numbers the setups, so that answers to an earlier one are not mistaken for answers to the current one.
  struct Round: Hashable, Sendable {
    /// The advertising set.
    let set: UInt8
    fileprivate var number: UInt32 = 0
  }

  /// The client whose turn it is comes first.
  private var requests: [(client: ClientID, parameters: AdvertisingParameters)] = []
  /// Clients to which the start of advertising was not reported yet.
  private var unanswered: [ClientID] = []
  var phase = Phase.off
  /// The status of the first failed command of the setup: its advertising must not go on the air.
  var setUpFailure: HCIStatus?

  private var round: Round
  private var turnEnds = Duration.zero

  /// An advertiser for the set of that number.
  init(set: UInt8 = 0) { round = Round(set: set) }

  /// How many clients asked to advertise and have not stopped.
  var clientCount: Int { requests.count }

  /// Begins a new setup of the controller.
  mutating func beginRound(now: Duration) -> Round {
    phase = .starting
    setUpFailure = nil
    round.number &+= 1
    // Units of 0.625 ms, and the random delay of up to 10 ms (Core 6.0 Vol 6 Part B 4.4.2.2.1).
    let event = Duration.microseconds(625 * Int(current?.parameters.interval ?? 0) + 10_000)
    turnEnds = now + max(Self.shortestTurn, event * Self.eventsInTurn)
    return round
  }

  /// Whether an answer belongs to the current setup.
  func isCurrent(_ round: Round) -> Bool { phase == .starting && round == self.round }

  /// The client and parameters that are to be on the air.
  var current: (client: ClientID, parameters: AdvertisingParameters)? { requests.first }

  /// Whether a client asked to advertise and has not stopped.
  func isAdvertising(_ client: ClientID) -> Bool { requests.contains { $0.client == client } }

  /// Adds a client's request to advertise; a later call replaces the earlier one.
  mutating func start(_ client: ClientID, _ parameters: AdvertisingParameters) {
    requests.removeAll { $0.client == client }
    requests.insert((client, parameters), at: 0)
    unanswered.removeAll { $0 == client }
    unanswered.append(client)
  }

  /// Removes a client's request. Returns whether the advertising on the air changes.
  mutating func stop(_ client: ClientID) -> Bool {
    let wasCurrent = current?.client == client
    requests.removeAll { $0.client == client }
    unanswered.removeAll { $0 == client }
    return wasCurrent
  }

  /// Handles the controller's answer and returns the client to report it to. A failure removes the request of that
  /// client.
  mutating func answered(_ status: HCIStatus) -> ClientID? {
    phase = status == .success ? .on : .unclear
    guard let client = current?.client, let index = unanswered.firstIndex(of: client) else { return nil }
    unanswered.remove(at: index)
    if status != .success { requests.removeFirst() }
    return client
  }

  /// When the next client's turn begins; nil while none waits. A client without a reported start does not wait for a
  /// turn.
  var nextDeadline: Duration? {
    guard requests.count > 1, phase != .starting else { return nil }
    return unanswered.isEmpty ? turnEnds : .zero
  }

  /// Handles the passing of the deadline. Returns whether the advertising on the air changes.
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

  /// Resets the state when the controller is gone.
  mutating func reset() {
    let round = round
    self = Advertiser(set: round.set)
    self.round = round
  }
}
