// The security of links: the bonds, and the requests that wait until a link is encrypted (Core 6.0 Vol 3 Part C 10.3).
extension Host {
  // MARK: Bonds

  /// Adds a bond that was stored. It counts for links that come up from now on.
  ///
  /// - Returns: false if there are too many, or there is a stronger one with the same peer.
  @discardableResult
  package mutating func addBond(_ bond: Bond) -> Bool {
    guard case .stored = bonds.insert(bond) else { return false }
    resolvingList.bondsChanged()
    return true
  }

  /// The bond with an identity address.
  package func bond(with identity: BluetoothAddress) -> Bond? { bonds[identity] }

  /// The identity addresses of all bonds, in no order.
  package var bondedPeers: [BluetoothAddress] { bonds.allIdentities }

  /// Removes a bond. Links that its key encrypts stay as they are, and are not encrypted with it again; the next request
  /// that needs security pairs anew.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  package mutating func removeBond(with identity: BluetoothAddress, now: Duration) -> Bool {
    guard bonds.remove(identity) != nil else { return false }
    databases[identity] = nil
    resolvingList.bondsChanged()
    outputs.append(.bondChanged(BondChange(identity: identity, bond: nil)))
    seekPeers(now: now)
    for link in links {
      guard let pairing = link.pairing, pairing.bond?.identity == identity else { continue }
      pairing.bond = nil
      pairing.isKeyMissing = false
      if !pairing.session.isPairing { useKeys(of: pairing, on: link) }
      if case .encryption = pairing.wait { continue }
      if pairing.mustBeSecured { secured(link, now: now) }
      pump(link, now: now)
    }
    flush(now: now)
    return true
  }

  /// Gives a new link the key of its bond. A central encrypts at once: an answer in clear does not prove that the device is
  /// the bonded peer, since any device can use its address.
  mutating func secure(_ link: Link, now: Duration) {
    guard configuration.pairing != nil else { return }
    guard let bond = bonds.bond(of: link.peer) else { return prepareKeyPair() }
    let pairing = pairing(of: link)
    pairing.bond = bond
    useKeys(of: pairing, on: link)
    guard let key = keyOfBond(link) else { return }
    pairing.mustBeSecured = true
    pairing.wait = .encryption(until: now + LinkPairing.encryptionTimeout)
    link.client.hold()
    encrypt(link, with: key, now: now)
  }

  // MARK: Requests that wait

  /// Raises the security of a link for a request or a channel that was refused, and that is held. It ends once: it is sent
  /// again, or it fails.
  mutating func raiseSecurity(for client: ClientID, _ code: ATTErrorCode, on link: Link, now: Duration) {
    guard configuration.pairing != nil, !link.isClosing else {
      return giveUpSecurity(of: link, nil)
    }
    let pairing = pairing(of: link)
    if pairing.session.isPairing {
      pairing.wait = .pairing
      return
    }
    let key = link.security.isEncrypted ? nil : keyOfBond(link)
    if pairing.isKeyMissing { return bar(link, .keyMissing) }
    if key != nil || link.keys.isEncrypting(now: now) {
      pairing.wait = .encryption(until: now + LinkPairing.encryptionTimeout)
      if let key, !link.keys.isEncrypting(now: now) { encrypt(link, with: key, now: now) }
      return arm(link)
    }
    let needsAuthentication = link.security.isEncrypted && code == .insufficientAuthentication
    prepare(pairing, on: link, for: client, needsAuthentication: needsAuthentication)
    guard gains(code, pairing.session.policy, on: link) else {
      return giveUpSecurity(of: link, nil)
    }
    pairing.wait = .pairing
    perform(pairing.session.begin(now: now), of: pairing, on: link, now: now)
  }

  /// The key with which this host encrypts a link as its central; nil where there is no bond, or it is the peripheral.
  func keyOfBond(_ link: Link) -> LongTermKey? {
    guard link.role == .central, let key = link.pairing?.bond?.keyAsCentral else { return nil }
    return link.keys.key(key.encryptedDiversifier, key.randomNumber)
  }

  /// Whether a pairing can bring what the peer misses.
  private func gains(_ code: ATTErrorCode, _ policy: PairingPolicy, on link: Link) -> Bool {
    guard link.security.isEncrypted else { return true }
    return switch code {
    case .insufficientAuthentication:
      !link.security.isAuthenticated && (policy.canAuthenticate || localOutOfBand != nil)
    case .encryptionKeySizeTooShort: Int(link.security.keySize) < policy.maximumKeySize
    default: false
    }
  }

  /// Lets the requests of a link go on, which is as secure as it will be.
  mutating func secured(_ link: Link, now: Duration) {
    guard let pairing = link.pairing else { return }
    pairing.wait = .nothing
    pairing.mustBeSecured = false
    link.client.resume()
    resumeChannels(of: link, now: now)
    notifyOfCapacity(on: link)
  }

  /// Ends the requests of a link that could not be encrypted, and those to come.
  mutating func bar(_ link: Link, _ failure: GATTFailure) {
    link.pairing?.wait = .nothing
    link.pairing?.mustBeSecured = true
    link.client.bar(failure, into: &link.clientOutputs)
    failWaitingChannels(of: link, failure)
  }

  // MARK: Encryption

  /// Handles that a link is encrypted with a key, or anew with another one.
  mutating func encryptionBegan(with key: LongTermKey, on link: Link, now: Duration) {
    guard let pairing = link.pairing else { return }
    if pairing.session.isPairing {
      // Keys are distributed under the key of the pairing, and no other.
      let isOurs = pairing.sessionKey.map { $0 == key } ?? true
      perform(
        pairing.session.encryptionChanged(isEncrypted: isOurs, now: now), of: pairing, on: link, now: now)
    }
    if !pairing.session.isPairing {
      restoreClient(of: link, encryptedWith: key, now: now)
      secured(link, now: now)
    }
    pump(link, now: now)
  }

  /// Handles that a link in clear could not be encrypted with a key.
  mutating func encryptionFailed(_ status: HCIStatus, with key: LongTermKey, on link: Link, now: Duration) {
    guard let pairing = link.pairing else { return }
    if pairing.session.isPairing {
      perform(pairing.session.encryptionChanged(isEncrypted: false, now: now), of: pairing, on: link, now: now)
    } else if status == .pinOrKeyMissing, key == keyOfBond(link) {
      pairing.isKeyMissing = true
    }
    if case .encryption = pairing.wait {
      bar(link, pairing.isKeyMissing ? .keyMissing : .encryptionFailed)
    }
    pump(link, now: now)
  }
}
