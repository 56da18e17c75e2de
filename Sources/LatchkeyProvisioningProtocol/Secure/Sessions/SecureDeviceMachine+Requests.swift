import LatchkeyByteCoding

extension SecureDeviceMachine {
  /// Performs the request of a record, which has proved that it comes from the app.
  mutating func perform(_ plaintext: [UInt8], from link: ProvisioningLink, context: DeviceContext) {
    guard case .open(let session) = links[link]?.phase else { return }
    var plaintext = plaintext
    defer { plaintext.wipe() }
    guard let request = try? SecureRequest(plaintext) else {
      return refuse(link, .malformed, "a request has no form", context: context)
    }
    guard session.request == nil else { return answer(request, .busy, to: link, context: context) }
    guard let endpoint = SecureEndpoint(rawValue: request.endpoint) else {
      guard configuration.capabilities.contains(.custom) else {
        return answer(request, .unknownEndpoint, to: link, context: context)
      }
      return begin(.custom(endpoint: request.endpoint, body: request.body), request, from: link)
    }
    guard isOffered(endpoint) else { return answer(request, .unknownEndpoint, to: link, context: context) }
    switch endpoint {
    case .scan: return scan(request, session, from: link, context: context)
    case .config: return configure(request, from: link, context: context)
    case .apply: return apply(request, session, from: link, context: context)
    case .forget: return forget(request, session, from: link, context: context)
    case .hostname: return setHostname(request, from: link, context: context)
    case .status where request.body.isEmpty:
      return answer(request, .done, SecureNetworkState.encode(context.network), to: link, context: context)
    case .identify where request.body.isEmpty: return begin(.identify, request, from: link)
    case .info where request.body.isEmpty:
      let body = SecureDeviceInformation.encode(configuration.information)
      return answer(request, .done, body, to: link, context: context)
    case .enroll where (try? SecureEnrollment(request.body)) != nil:
      return begin(.custom(endpoint: request.endpoint, body: request.body), request, from: link)
    case .status, .identify, .info, .enroll: return answer(request, .invalid, to: link, context: context)
    }
  }

  package mutating func completed(_ number: Int, _ result: DeviceWorkResult, context: inout DeviceContext) {
    for (link, known) in links {
      guard case .open(var session) = known.phase, let request = session.request, request.work == number else {
        continue
      }
      session.request = nil
      if case .networks(let networks) = result { session.networks = networks }
      links[link]?.phase = .open(session)
      let (status, body) = response(to: request, result)
      return send(.response(id: request.id, status, body), to: link, context: context)
    }
  }

  private mutating func response(
    to request: SecureDeviceLink.Pending, _ result: DeviceWorkResult
  ) -> (SecureStatus, [UInt8]) {
    switch (result, SecureEndpoint(rawValue: request.endpoint)) {
    case (.failed(.invalid), _): return (.invalid, [])
    case (.failed(.busy), _): return (.busy, [])
    case (.failed(.unavailable), _): return (.unavailable, [])
    case (.networks(let networks), .scan):
      return (.done, SecureScanPage(of: networks, start: 0, limit: longestPlaintext - 2).bytes)
    case (.done, .hostname):
      if let name = request.hostname { hostname = name }
      return (.done, Array(hostname.utf8))
    case (.done, _): return (.done, [])
    case (.response(let body), nil), (.response(let body), .enroll):
      // A body that no record has room for is the maker's mistake, not the app's.
      return body.count <= longestPlaintext - 2 ? (.done, body) : (.unavailable, [])
    default: return (.unavailable, [])
    }
  }

  private func isOffered(_ endpoint: SecureEndpoint) -> Bool {
    switch endpoint {
    case .config, .apply, .status: true
    case .scan: configuration.capabilities.contains(.scan)
    case .identify: configuration.capabilities.contains(.identify)
    case .info: configuration.capabilities.contains(.information)
    // Tickets can always be forgotten; the network only if the device says so.
    case .forget: configuration.capabilities.contains(.forget) || configuration.resumes
    case .hostname: configuration.capabilities.contains(.hostname)
    case .enroll: configuration.takesEnrollment
    }
  }

  private mutating func scan(
    _ request: SecureRequest, _ session: SecureDeviceLink.Session, from link: ProvisioningLink, context: DeviceContext
  ) {
    guard request.body.count == 1 else { return answer(request, .invalid, to: link, context: context) }
    let start = Int(request.body[0])
    guard start > 0 else { return begin(.scan, request, from: link) }
    guard start < min(session.networks.count, SecureScanPage.greatestTotal) else {
      return answer(request, .invalid, to: link, context: context)
    }
    let page = SecureScanPage(of: session.networks, start: start, limit: longestPlaintext - 2)
    answer(request, .done, page.bytes, to: link, context: context)
  }

  private mutating func configure(_ request: SecureRequest, from link: ProvisioningLink, context: DeviceContext) {
    do throws(SecureNetworkConfiguration.Failure) {
      let configuration = try SecureNetworkConfiguration(request.body)
      guard !configuration.appliesAtOnce else { return begin(.join(configuration.credentials), request, from: link) }
      setCredentials(configuration.credentials, of: link)
      answer(request, .done, to: link, context: context)
    } catch {
      answer(request, error == .enterprise ? .unavailable : .invalid, to: link, context: context)
    }
  }

  private mutating func apply(
    _ request: SecureRequest, _ session: SecureDeviceLink.Session, from link: ProvisioningLink, context: DeviceContext
  ) {
    guard request.body.isEmpty else { return answer(request, .invalid, to: link, context: context) }
    guard let credentials = session.credentials else { return answer(request, .notNow, to: link, context: context) }
    begin(.join(credentials), request, from: link)
  }

  private mutating func forget(
    _ request: SecureRequest, _ session: SecureDeviceLink.Session, from link: ProvisioningLink, context: DeviceContext
  ) {
    guard let what = SecureForget(request.body) else { return answer(request, .invalid, to: link, context: context) }
    guard !what.contains(.network) || configuration.capabilities.contains(.forget) else {
      return answer(request, .unavailable, to: link, context: context)
    }
    // Who is forgotten is out at once, not when its link ends.
    if what.contains(.allTickets) {
      tickets.removeAll()
      endSessions(but: link, context: context) { _ in true }
    } else if what.contains(.ticket), let entry = session.entry {
      tickets.remove(entry)
      endSessions(but: link, context: context) { $0.entry == entry }
    }
    guard what.contains(.network) else { return answer(request, .done, to: link, context: context) }
    begin(.forget, request, from: link)
  }

  /// Ends the sessions of other links, of whose apps the device keeps nothing any more.
  private mutating func endSessions(
    but kept: ProvisioningLink, context: DeviceContext, where isForgotten: (SecureDeviceLink.Session) -> Bool
  ) {
    for (link, known) in links.sorted(by: { $0.key.id < $1.key.id }) where link != kept {
      guard case .open(let session) = known.phase, isForgotten(session) else { continue }
      refuse(link, .over, "its app was forgotten", context: context)
    }
  }

  private mutating func setHostname(_ request: SecureRequest, from link: ProvisioningLink, context: DeviceContext) {
    guard !request.body.isEmpty else {
      return answer(request, .done, Array(hostname.utf8), to: link, context: context)
    }
    guard request.body.count <= 253, let name = String(validating: request.body, as: UTF8.self) else {
      return answer(request, .invalid, to: link, context: context)
    }
    begin(.setHostname(name), request, hostname: name, from: link)
  }

  private mutating func begin(
    _ work: DeviceWork, _ request: SecureRequest, hostname: String? = nil, from link: ProvisioningLink
  ) {
    guard case .open(var session) = links[link]?.phase else { return }
    if case .join = work { session.credentials = nil }
    let number = perform(work)
    session.request = SecureDeviceLink.Pending(
      id: request.id, work: number, endpoint: request.endpoint, hostname: hostname)
    links[link]?.phase = .open(session)
  }

  private mutating func setCredentials(_ credentials: NetworkCredentials, of link: ProvisioningLink) {
    guard case .open(var session) = links[link]?.phase else { return }
    session.credentials = credentials
    links[link]?.phase = .open(session)
  }

  private mutating func answer(
    _ request: SecureRequest, _ status: SecureStatus, _ body: [UInt8] = [], to link: ProvisioningLink,
    context: DeviceContext
  ) {
    send(.response(id: request.id, status, body), to: link, context: context)
  }
}
