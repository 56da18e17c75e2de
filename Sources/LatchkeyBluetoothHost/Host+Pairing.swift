import LatchkeyByteCoding

// Pairing: a session for each link, its users, and what it leads to (Core 6.0 Vol 3 Part H 2).
extension Host {
  // MARK: Users

  /// Sets what a client demands of pairings, and whom it has to ask; nil for a client without demands or user.
  package mutating func setPairingTerms(_ terms: PairingTerms?, of client: ClientID) {
    pairingTerms.removeAll { $0.client == client }
    if let terms, clients.contains(client) { pairingTerms.append((client, terms)) }
  }

  /// Answers the question about a pairing. Only the client that was asked can; a late answer is ignored.
  package mutating func answerPairing(_ answer: PairingAnswer, on id: LinkID, client: ClientID, now: Duration) {
    guard let link = link(id), !link.isClosing, let pairing = link.pairing, pairing.asked == client else { return }
    perform(pairing.session.answer(answer, now: now), of: pairing, on: link, now: now)
    pump(link, now: now)
    flush(now: now)
  }

  /// Ends what a client is asked; called when it is removed.
  mutating func removePairing(of client: ClientID, now: Duration) {
    pairingTerms.removeAll { $0.client == client }
    for link in links {
      guard let pairing = link.pairing, pairing.asked == client else { continue }
      pairing.asked = nil
      perform(pairing.session.cancel(now: now), of: pairing, on: link, now: now)
      pump(link, now: now)
    }
  }

  // MARK: Out-of-band data

  /// Makes the data with which one device can authenticate this host (Core 6.0 Vol 3 Part H 2.3.5.6.4). They serve for one
  /// pairing, of whichever device says first that it has them; those that were made before serve no more.
  ///
  /// - Returns: the data to give to the device; nil if the source of random bytes is broken.
  package mutating func makeOutOfBandData() -> PairingOutOfBandData? {
    removeOutOfBandData()
    // Less than one key in four billion is out of range, and none of zeros is drawn by a source that works.
    for _ in 0..<8 {
      var bytes = random(PairingCryptography.coordinateSize)
      defer { bytes.wipe() }
      var nonce = random(SecurityKey.byteCount)
      guard let keyPair = PairingKeyPair(privateKey: bytes), let value = SecurityKey(consuming: &nonce), !value.isZero
      else { continue }
      let data = LocalOutOfBandData(keyPair: keyPair, random: value)
      localOutOfBand = data
      return try? data.published()
    }
    return nil
  }

  /// Ends the use of out-of-band data on all links: a key pair serves once.
  private mutating func removeOutOfBandData() {
    localOutOfBand = nil
    for link in links { link.pairing?.session.localOutOfBand = nil }
  }

  // MARK: Inputs

  /// Handles a frame on the Security Manager's channel.
  mutating func receivedSecurity(_ payload: ByteReader, on link: Link, now: Duration) {
    let pairing = pairing(of: link)
    if !pairing.session.isPairing { prepare(pairing, on: link, for: nil) }
    perform(pairing.session.receive(payload, now: now), of: pairing, on: link, now: now)
  }

  /// Handles deadlines of a pairing, or of an encryption, that others wait for.
  mutating func timedOut(_ pairing: LinkPairing, of link: Link, now: Duration) {
    perform(pairing.session.handleTimeout(now: now), of: pairing, on: link, now: now)
    if case .encryption(let until) = pairing.wait, until <= now { bar(link, .encryptionFailed) }
  }

  /// Handles the end of a link: a pairing in progress fails with it.
  mutating func endPairing(of link: Link, now: Duration) {
    guard let pairing = link.pairing else { return }
    perform(pairing.session.linkEnded(now: now), of: pairing, on: link, now: now)
    pairing.sessionKey = nil
    pairing.bond = nil
    pairing.wait = .nothing
  }

  // MARK: Sessions

  /// The pairing of a link, made at its first use.
  func pairing(of link: Link) -> LinkPairing {
    if let pairing = link.pairing { return pairing }
    let session = PairingSession(
      role: link.role, local: link.localAddress, peer: link.peerAddress, policy: .refusing,
      identity: configuration.identity, attempts: pairingAttempts[link.peer], random: random)
    let pairing = LinkPairing(session)
    link.pairing = pairing
    return pairing
  }

  /// Sets the terms of the next pairing: the host's, those of all clients, and those of the user who is asked.
  ///
  /// - Parameters:
  ///   - client: whose request is the cause; nil if the peer is.
  ///   - needsAuthentication: whether a pairing without protection would not help.
  mutating func prepare(
    _ pairing: LinkPairing, on link: Link, for client: ClientID?, needsAuthentication: Bool = false
  ) {
    let user = user(of: link, for: client)
    pairing.asked = user?.client
    guard var policy = configuration.pairing else { return pairing.session.policy = .refusing }
    if let user {
      if let capability = user.terms.agent { policy.ioCapability = capability }
      policy.hasOutOfBandData = user.terms.hasOutOfBandData
      policy.fixedPasskey = user.terms.fixedPasskey
      if policy.protection == .none, policy.canAuthenticate { policy.protection = .preferred }
      if policy.protection == .none, localOutOfBand != nil { policy.protection = .preferred }
    } else if client == nil, !database.isGuarded, !channels.isGuarded() {
      // Nobody wants it: no request, no attribute, no channel, no user.
      policy.acceptsPairing = false
    }
    if pairingTerms.contains(where: { $0.terms.requiresSecureConnections }) { policy.requiresSecureConnections = true }
    var leastKeySize: Int?
    for (other, terms) in pairingTerms where concerns(link, other, client) {
      if let size = terms.leastKeySize { leastKeySize = max(leastKeySize ?? 7, min(size, 16)) }
    }
    policy.leastKeySize = leastKeySize ?? policy.leastKeySize
    // What a bond has protected is not given to a peer that proves less, in whichever role it comes.
    if let bond = pairing.bond, let key = bond.key(as: link.role) ?? bond.keyAsCentral ?? bond.keyAsPeripheral {
      if key.isAuthenticated { policy.protection = .required }
      if key.isSecureConnections { policy.requiresSecureConnections = true }
      policy.leastKeySize = max(policy.leastKeySize, key.size)
    }
    if needsAuthentication { policy.protection = .required }
    pairing.session.policy = policy
    pairing.session.localOutOfBand = localOutOfBand
    if pairing.session.nextKeyPair == nil { swap(&pairing.session.nextKeyPair, &nextKeyPair) }
  }

  /// Makes the key pair of the next pairing, so that the peer does not wait for it then. Without one, the session makes its
  /// own.
  mutating func prepareKeyPair() {
    guard nextKeyPair == nil else { return }
    var bytes = random(PairingCryptography.coordinateSize)
    defer { bytes.wipe() }
    nextKeyPair = PairingKeyPair(privateKey: bytes)
  }

  /// Whether a pairing of a link is a client's affair: its request is the cause, or, if the peer is, it uses the link or
  /// serves it.
  private func concerns(_ link: Link, _ client: ClientID, _ cause: ClientID?) -> Bool {
    if let cause { return cause == client }
    if link.role == .central { return link.claims.contains(client) }
    return database.hasServices(of: client) || channels.isGuarded(of: client)
  }

  /// Whose user is asked: the user of the client whose request is the cause, and no other; else, of the clients that use
  /// the link or serve it, the first one with a user.
  func user(of link: Link, for client: ClientID?) -> (client: ClientID, terms: PairingTerms)? {
    pairingTerms.first { $0.terms.agent != nil && concerns(link, $0.client, client) }
  }

  // MARK: Outputs

  /// Performs what a session requests.
  mutating func perform(_ outputs: [PairingOutput], of pairing: LinkPairing, on link: Link, now: Duration) {
    if pairing.session.hasUsedOutOfBand {
      pairing.session.hasUsedOutOfBand = false
      removeOutOfBandData()
    }
    for output in outputs {
      switch output {
      case .send(let frame): if !link.isClosing { send(frame, .securityManager, on: link, now: now) }
      case .startEncryption(let key): begin(key, of: pairing, on: link, now: now)
      case .provideKey(let key):
        pairing.sessionKey = key
        setKey(key, for: link.id)
      case .ask(let question): ask(question, pairing, on: link, now: now)
      // The display of a passkey goes on as it is.
      case .keypress: break
      case .securityRequested(let requirements): answer(requirements, pairing, on: link, now: now)
      case .finished(let bond): finished(bond, pairing, on: link, now: now)
      case .failed(let failure): failed(failure, pairing, on: link, now: now)
      }
    }
    if pairing.nextDeadline != nil { arm(link) }
  }

  /// Encrypts a link with the key of its pairing.
  private mutating func begin(_ key: LongTermKey, of pairing: LinkPairing, on link: Link, now: Duration) {
    pairing.sessionKey = key
    guard setKey(key, for: link.id), !link.keys.isEncrypting(now: now) else {
      return perform(
        pairing.session.encryptionChanged(isEncrypted: false, now: now), of: pairing, on: link, now: now)
    }
    encrypt(link, with: key, now: now)
  }

  /// Asks the user. Where there is none, Just Works has a cause, or it would not have begun.
  private mutating func ask(_ question: PairingQuestion, _ pairing: LinkPairing, on link: Link, now: Duration) {
    if let asked = pairing.asked {
      emit(asked, .pairingQuestion(link.id, link.peer, PairingPrompt(question: question)))
    } else {
      let answer = question == .confirm ? PairingAnswer.accept : .reject
      perform(pairing.session.answer(answer, now: now), of: pairing, on: link, now: now)
    }
  }

  /// Answers a peripheral that requests security: by the key of the bond, or by asking the user; nothing else pairs
  /// without an app's request.
  private mutating func answer(
    _ requirements: SMPAuthenticationRequirements, _ pairing: LinkPairing, on link: Link, now: Duration
  ) {
    let security = link.security
    if link.keys.isEncrypting(now: now) { return }
    if security.isEncrypted, security.isAuthenticated || !requirements.contains(.mitm) { return }
    if !security.isEncrypted, !pairing.isKeyMissing, let key = keyOfBond(link) {
      return encrypt(link, with: key, now: now)
    }
    guard !pairing.isKeyMissing, configuration.pairing != nil, user(of: link, for: nil) != nil else {
      return send(SMPPairingFailed(reason: .pairingNotSupported).frame(), .securityManager, on: link, now: now)
    }
    prepare(pairing, on: link, for: nil, needsAuthentication: security.isEncrypted)
    guard !pairing.session.attempts.isWaiting(now: now) else {
      return send(SMPPairingFailed(reason: .repeatedAttempts).frame(), .securityManager, on: link, now: now)
    }
    perform(pairing.session.begin(now: now), of: pairing, on: link, now: now)
  }

  private mutating func finished(_ new: Bond, _ pairing: LinkPairing, on link: Link, now: Duration) {
    pairingAttempts.set(pairing.session.attempts, for: link.peer, now: now)
    var bond = bonds.proven(new, on: link, after: pairing.bond)
    pairing.bond = bond
    pairing.isKeyMissing = false
    pairing.asked = nil
    useKeys(of: pairing, on: link)
    var isStored = false
    if bond.isPersistent, bond.hasKey {
      // Of an older bond nothing is kept: the peer may have lost all.
      bond.client = link.server.bondedClient(database, before: nil)
      switch bonds.insert(bond) {
      case .stored(let replaced):
        isStored = true
        databases[bond.identity] = nil
        link.client.useDatabase(nil)
        outputs.append(.bondChanged(BondChange(identity: bond.identity, bond: bond)))
        if let replaced { databases[replaced] = nil }
        if let replaced { outputs.append(.bondChanged(BondChange(identity: replaced, bond: nil))) }
        bonds.note(link.peerAddress, of: link.peer)
        resolvingList.bondsChanged()
        notePeerUse(link.peer)
        // The requests that waited for this pairing go first.
        resolvingList.wait(now: now)
        holdOtherName(of: link, now: now)
      case .full: outputs.append(.notice(.tooManyBonds(link.peer)))
      case .weaker: outputs.append(.notice(.weakerBond(link.peer)))
      }
    }
    link.isClientKept = isStored
    report(PairingEnd(identity: bond.identity, isStored: isStored, failure: nil), of: link)
    secured(link, now: now)
  }

  private mutating func failed(_ failure: PairingFailure, _ pairing: LinkPairing, on link: Link, now: Duration) {
    pairingAttempts.set(pairing.session.attempts, for: link.peer, now: now)
    pairing.asked = nil
    if pairing.sessionKey != nil { useKeys(of: pairing, on: link) }
    report(PairingEnd(identity: nil, isStored: false, failure: failure), of: link)
    // The end of a link ends its requests.
    guard case .pairing = pairing.wait, failure != .linkEnded else { return }
    pairing.wait = .nothing
    giveUpSecurity(of: link, failure == .timedOut ? .encryptionFailed : nil)
  }

  private mutating func report(_ end: PairingEnd, of link: Link) {
    for client in clients { emit(client, .pairingEnded(link.id, link.peer, end)) }
  }

  /// Gives a link the key of its bond, in place of that of a pairing.
  mutating func useKeys(of pairing: LinkPairing, on link: Link) {
    pairing.sessionKey = nil
    link.keys.removeAll()
    link.server.hasKey = false
    if let key = pairing.bond?.key(as: link.role) { setKey(key, for: link.id) }
  }
}

extension PairingPolicy {
  /// Whether a method that authenticates is possible.
  var canAuthenticate: Bool { ioCapability != .noInputNoOutput || hasOutOfBandData }
}
