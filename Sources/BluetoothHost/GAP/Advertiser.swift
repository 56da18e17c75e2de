/// Which client's advertising is on the air.
///
/// A controller without extended advertising has one advertising set: the client that asked last has it, and when that
/// one stops, the client before it has it again.
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

  /// One setting up, so that answers to an earlier one are not taken for its own.
  typealias Round = UInt32

  private var requests: [(client: ClientID, parameters: AdvertisingParameters)] = []
  /// Clients that have not heard yet whether their advertising began.
  private var unanswered: [ClientID] = []
  var phase = Phase.off
  /// The first command of the setting up that failed: what it set up is not to be on the air.
  var setUpFailure: HCIStatus?

  private var round: Round = 0

  /// The controller is being set up anew.
  mutating func beginRound() -> Round {
    phase = .starting
    setUpFailure = nil
    round &+= 1
    return round
  }

  /// Whether an answer is to the setting up that is under way.
  func isCurrent(_ round: Round) -> Bool { phase == .starting && round == self.round }

  /// Whose parameters are to be on the air.
  var current: (client: ClientID, parameters: AdvertisingParameters)? { requests.last }

  /// Whether a client asked for advertising and has not stopped it.
  func isAdvertising(_ client: ClientID) -> Bool { requests.contains { $0.client == client } }

  /// A client wants to advertise; a later call of the same client replaces the earlier one.
  mutating func start(_ client: ClientID, _ parameters: AdvertisingParameters) {
    requests.removeAll { $0.client == client }
    requests.append((client, parameters))
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

  /// The controller answered: who is to be told. A failure ends the request of whoever is told.
  mutating func answered(_ status: HCIStatus) -> [ClientID] {
    phase = status == .success ? .on : .unclear
    defer { unanswered = [] }
    if status != .success { requests.removeAll { unanswered.contains($0.client) } }
    return unanswered
  }

  /// The controller is gone.
  mutating func reset() {
    let round = round
    self = Advertiser()
    self.round = round
  }
}
