internal import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// The orders of ACME with the challenge device-attest-01 (draft-ietf-acme-device-attest). The permanent identifier is a one-time
/// enrollment token: it says for whom the device is, and is used up by the registration, which is ``RegistrationCeremony``'s.
struct ACMEOrders: Sendable {
  /// The type of the identifiers.
  static let identifierType = "permanent-identifier"
  /// The seconds for which an order waits for its device.
  static let lifetime: Int64 = 3600
  /// Open orders per token: attempts with a wrong attestation, or a lost answer.
  private static let mostPerToken = 8
  /// What lists show if neither the token nor the signing request names the device.
  private static let defaultName = "ACME device"

  let services: Services

  /// Begins an order.
  ///
  /// - Parameter profile: that of the directory; nil: the token's.
  /// - Throws: ``ACMEProblem``; `Problem`.
  func create(_ request: ACMERequest, profile: String?) async throws -> ACMEOrder {
    let payload = try request.payload
    if payload.has("notBefore") || payload.has("notAfter") {
      throw ACMEProblem(.malformed, detail: "the profile decides on the lifetime: leave out notBefore and notAfter")
    }
    let identifier = try Self.identifier(payload)
    let now = services.now
    let order = try ACMEOrder(
      identifier: identifier, account: request.account, profile: profile, random: services.random(64),
      expires: now + Self.lifetime)
    let key = try ACMEOrder.registrationKey(account: order.record.account, token: order.record.token)
    let ceremony = order.ceremony(services)
    _ = try await ceremony.auditingRefusals(at: now) { try ceremony.grant(for: key.text, in: $0, now: now) }
    try await services.store.write { store in
      _ = try ceremony.grant(for: key.text, in: store, now: now)
      try request.claimNonce(in: store)
      guard try store.countACMEOrders(ofToken: order.record.token, now: now) < Self.mostPerToken else {
        throw ACMEProblem(
          .rateLimited, status: 429, detail: "\(Self.mostPerToken) orders with this identifier are open already",
          retryAfter: Int(Self.lifetime))
      }
      try store.addACMEOrder(order.record)
    }
    return order
  }

  private static func identifier(_ payload: ACMEPayload) throws -> String {
    let identifiers: [ACMEPayload.Identifier]
    do throws(JSONWebSignatureError) { identifiers = try payload.identifiers } catch { throw ACMEProblem(error) }
    guard identifiers.allSatisfy({ $0.type == identifierType }) else {
      throw ACMEProblem(.unsupportedIdentifier, detail: "identifiers are of the type \(identifierType)")
    }
    guard identifiers.count == 1, let identifier = identifiers.first else {
      throw ACMEProblem(.malformed, detail: "an order has one identifier")
    }
    // The same answer as for a token that is not known.
    guard EnrollmentToken.isText(identifier.value) else { throw RegistrationGrant.refused }
    return identifier.value
  }

  /// The order of a name, for the account that made it; uses up the request's nonce.
  ///
  /// - Throws: ``ACMEProblem``.
  func open(_ name: String?, _ request: ACMERequest) async throws -> ACMEOrder {
    try request.requireAccount()
    guard let name, let id = ACMEOrder.id(ofName: name) else { throw ACMEProblem.noOrder }
    let now = services.now
    return try await services.store.write { store in
      guard let record = try store.acmeOrder(id, now: now), record.account == request.account.point,
        let order = ACMEOrder(name: name, record)
      else { throw ACMEProblem.noOrder }
      try request.claimNonce(in: store)
      return order
    }
  }

  /// What became of an order. One that waited for an approval is completed here.
  func state(of order: ACMEOrder) async throws -> ACMEOrder.State {
    switch order.record.outcome {
    case nil: return .pending
    case .refused: return .invalid(Self.refusedAttestation)
    case .attested: break
    }
    guard let signingRequest = order.record.signingRequest else { return .ready }
    do {
      guard let device = try await register(signingRequest, order) else { return .processing }
      return .valid(device)
    } catch let problem as Problem {
      let refusal = ACMEProblem(problem)
      if refusal.isPassing { throw refusal }
      return .invalid(refusal)
    }
  }

  /// Verifies the attestation that answers an order's challenge. A refused one ends the order.
  ///
  /// - Returns: the order as it is now.
  /// - Throws: ``ACMEProblem``: `badAttestationStatement`; `Problem`.
  func attest(_ order: ACMEOrder, _ request: ACMERequest) async throws -> ACMEOrder {
    let payload = try request.payload
    guard order.record.outcome == nil else { return order }
    let object: [UInt8]
    do throws(JSONWebSignatureError) { object = try payload.bytes("attObj") } catch { throw ACMEProblem(error) }
    let now = services.now
    let ceremony = order.ceremony(services)
    let key = try ACMEOrder.registrationKey(account: order.record.account, token: order.record.token)
    let grant = try await services.store.read { try ceremony.grant(for: key.text, in: $0, now: now) }
    let authorization = request.account.authorization(ofToken: order.challengeToken)
    let outcome: ACMEOrderRecord.Outcome
    do throws(Problem) {
      let attested = try KeyEvidence(services: services).attested(
        object, authorization: authorization, token: order.challengeToken, deviceName: grant.deviceName,
        profile: grant.profile)
      outcome = .attested(key: attested.point, evidence: attested.evidence, identifiers: attested.identifiers)
    } catch {
      outcome = .refused
    }
    let id = order.record.id
    return try await services.store.write { store in
      // Of two attempts at once the first counts.
      _ = try store.answerACMEChallenge(id, outcome, at: now)
      guard let record = try store.acmeOrder(id, now: now), let answered = ACMEOrder(name: order.name, record) else {
        throw ACMEProblem.noOrder
      }
      return answered
    }
  }

  static let refusedAttestation = ACMEProblem(
    .badAttestationStatement, status: 403,
    detail: "the attestation was refused, which ends the order; the server's log says why")

  /// Registers the device of an order for its signing request.
  ///
  /// - Returns: the order as it is now.
  /// - Throws: ``ACMEProblem``; `Problem`.
  func finalize(_ order: ACMEOrder, _ request: ACMERequest) async throws -> ACMEOrder {
    let payload = try request.payload
    let signingRequest: [UInt8]
    do throws(JSONWebSignatureError) { signingRequest = try payload.bytes("csr") } catch { throw ACMEProblem(error) }
    // RFC 8555 7.4: a client that lost the answer reads the order.
    guard order.record.signingRequest == nil else {
      throw ACMEProblem(.orderNotReady, status: 403, detail: "the order was finalized: read it by POST-as-GET")
    }
    guard case .attested(let key, _, _)? = order.record.outcome else {
      throw ACMEProblem(.orderNotReady, status: 403, detail: "answer the challenge of the order's authorization first")
    }
    guard try CertificateIssuer.publicKey(of: Base64Bytes(signingRequest)) == key else {
      throw ACMEProblem(.badCSR, detail: "the signing request is of another key than the attestation")
    }
    let device = try await register(signingRequest, order)
    // One that waits lives as long as what it waits for.
    let expires = device == nil ? services.now + services.policy.pendingLifetime : order.record.expires
    let (id, now) = (order.record.id, services.now)
    return try await services.store.write { store in
      try store.finalizeACMEOrder(id, signingRequest: signingRequest, expires: expires)
      guard let record = try store.acmeOrder(id, now: now), let final = ACMEOrder(name: order.name, record) else {
        throw ACMEProblem.noOrder
      }
      return final
    }
  }

  /// Registers the device, or gets what it got before.
  ///
  /// - Returns: nil while it waits for an approval.
  private func register(_ signingRequest: [UInt8], _ order: ACMEOrder) async throws -> EnrolledDevice? {
    guard case .attested(let key, _, let identifiers)? = order.record.outcome else { return nil }
    let hash = order.record.token
    let given = try await services.store.read { try $0.enrollmentToken(hash: hash)?.deviceName }
    let name = CertificateAuthority.commonName(ofRequest: signingRequest).flatMap { ShownName.isValid($0) ? $0 : nil }
    let answer = try await order.ceremony(services).register(
      DeviceRegistration(
        name: name ?? given ?? identifiers.first ?? Self.defaultName, signingRequest: Base64Bytes(signingRequest)),
      key: ACMEOrder.registrationKey(account: order.record.account, token: hash),
      // The key alone, since some clients sign each request anew.
      digest: IdempotencyKey.digest(method: "POST", path: Routes.acmeOrders, body: key))
    guard answer.status == 201 else { return nil }
    return try JSONDecoder().decode(EnrolledDevice.self, from: Data(answer.body))
  }
}
