// Encryption of links, with keys that are handed in (Core 6.0 Vol 3 Part C 10.3, Vol 4 Part E 7.8.24 to 7.8.26).
extension Host {
  // MARK: Keys

  /// Sets a key of a link: the peer's Long Term Key Request is answered with it, and `encrypt` uses it. It replaces one
  /// of the same numbers, and is wiped when the link ends. Bytes beyond its size are set to zero.
  ///
  /// - Returns: false if the link has ended, the size is not in 7...16, or the key is zero: nothing is set.
  @discardableResult
  package mutating func setKey(_ key: LongTermKey, for id: LinkID) -> Bool {
    guard let link = link(id), !link.isClosing, LinkSecurity.keySizes.contains(key.size) else { return false }
    var key = key
    key.key = key.key.masked(toSize: key.size)
    guard !key.key.isZero else { return false }
    link.keys.set(key)
    link.server.hasKey = true
    return true
  }

  /// The security of a link; nil if it has ended.
  package func security(of id: LinkID) -> LinkSecurity? { link(id).map(\.security) }

  // MARK: Central

  /// Encrypts a link with the key of these numbers, or again with another one. The controller's event changes the link's
  /// security; a peer without the key leaves a link in clear as it is, and ends an encrypted one.
  ///
  /// - Returns: whether the procedure began. It does not where this host is the peripheral, there is no such key, the
  ///   link has ended, or a procedure is under way.
  package mutating func encrypt(
    _ id: LinkID, encryptedDiversifier: UInt16 = 0, randomNumber: UInt64 = 0, now: Duration
  ) -> Bool {
    guard let link = link(id), !link.isClosing, link.role == .central,
      let key = link.keys.key(encryptedDiversifier, randomNumber),
      !link.keys.isEncrypting(now: now)
    else { return false }
    encrypt(link, with: key, now: now)
    flush(now: now)
    return true
  }

  /// Commands the controller to encrypt a link, on which no such procedure is under way.
  mutating func encrypt(_ link: Link, with key: LongTermKey, now: Duration) {
    link.keys.begin(key, now: now)
    commands.enqueue(
      HCILEEnableEncryption(
        connectionHandle: link.handle, randomNumber: key.randomNumber, encryptedDiversifier: key.encryptedDiversifier,
        longTermKey: key.key),
      tag: .encryption(link.id), now: now)
  }

  /// Handles the reply to the command that begins encryption.
  mutating func encryptionAnswered(_ failure: HCIStatus?, on id: LinkID, now: Duration) {
    guard let failure, let link = link(id), let key = link.keys.end() else { return }
    encryptionFailed(failure, with: key, on: link, now: now)
  }

  // MARK: Peripheral

  /// Answers a peer that encrypts. Each request has one answer: the key of its numbers, or that there is none.
  mutating func received(_ request: LELongTermKeyRequest, now: Duration) {
    guard let link = link(handle: request.connectionHandle), link.role == .peripheral, !link.keys.isAnswering else {
      ignored.events += 1
      return refuseUnexpected(request, now: now)
    }
    link.keys.isAnswering = true
    let key = link.isClosing ? nil : link.keys.key(request.encryptedDiversifier, request.randomNumber)
    link.keys.offer(key)
    if let key {
      commands.enqueue(
        HCILELongTermKeyRequestReply(connectionHandle: link.handle, longTermKey: key.key), tag: .keyAnswer(link.id),
        now: now)
    } else {
      commands.enqueue(
        HCILELongTermKeyRequestNegativeReply(connectionHandle: link.handle), tag: .keyAnswer(link.id), now: now)
    }
  }

  /// Answers a request that no link explains, so that the controller does not wait. One answer at a time is on its way:
  /// a controller that repeats the request fills no queue.
  private mutating func refuseUnexpected(_ request: LELongTermKeyRequest, now: Duration) {
    guard !isRefusingKeys, link(handle: request.connectionHandle)?.keys.isAnswering != true else { return }
    isRefusingKeys = true
    commands.enqueue(
      HCILELongTermKeyRequestNegativeReply(connectionHandle: request.connectionHandle), tag: .keyRefusal, now: now)
  }

  /// Handles the reply to the answer.
  mutating func keyAnswered(_ failure: HCIStatus?, on id: LinkID) {
    guard let link = link(id) else { return }
    link.keys.isAnswering = false
    if failure != nil { link.keys.offer(nil) }
  }

  // MARK: Events

  /// Handles that encryption began, could not begin, or ended. A link that was encrypted is never used in clear: it is
  /// closed, as is one that the controller encrypts with a key that it was not given.
  mutating func received(_ event: HCIEncryptionChange, now: Duration) {
    guard let link = link(handle: event.connectionHandle) else { return ignored.events += 1 }
    let key = link.keys.end()
    guard event.status == .success, event.isEncrypted else {
      if link.security.isEncrypted || event.status == .success { return closeInsecure(link, now: now) }
      if let key { encryptionFailed(event.status, with: key, on: link, now: now) }
      return
    }
    if let key {
      link.server.security = LinkSecurity(key, reportedSize: event.keySize)
      encryptionBegan(with: key, on: link, now: now)
    } else if link.security.isEncrypted {
      // A controller may send both versions of the event.
      link.server.security.keySize = min(link.security.keySize, event.keySize ?? link.security.keySize)
    } else {
      closeInsecure(link, now: now)
    }
  }

  /// Handles that an encrypted link has another key, or could not get it.
  mutating func received(_ event: HCIEncryptionKeyRefreshComplete, now: Duration) {
    guard let link = link(handle: event.connectionHandle) else { return ignored.events += 1 }
    let key = link.keys.end()
    guard event.status == .success, link.security.isEncrypted, let key else {
      return closeInsecure(link, now: now)
    }
    link.server.security = LinkSecurity(key, reportedSize: nil)
    encryptionBegan(with: key, on: link, now: now)
  }

  /// Ends a link whose security is not what it was, or cannot be known. Nothing more is served on it.
  private mutating func closeInsecure(_ link: Link, now: Duration) {
    link.server.security = LinkSecurity()
    close(link, reason: .authenticationFailure, now: now)
  }
}
