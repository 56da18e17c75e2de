internal import Hummingbird
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import LatchkeySealedMessages

/// A device's requests about itself, over its certificate.
struct DeviceRoutes: DirectRouteGroup {
  private let services: Services
  private let route: SealedRoute

  init(_ services: Services) {
    self.services = services
    route = SealedRoute(services)
  }

  var directRoutes: [DirectRoute] { [DirectRoute(path: Routes.device) { $0.status }] }

  func add(to router: Router<ServerContext>) {
    router.get(RouterPath(Routes.device)) { [services, route] request, context in
      try await route.answer(request, context) { sealed in
        let shown = sealed.device
        if let status = shown.status { return SealedAnswer(json: status, status: 200) }
        let device = try await services.store.read { try $0.device(shown.id) }
        return try SealedAnswer(DeviceStatus(device ?? DeviceRecord(shown), shown))
      }
    }
    router.post(RouterPath(Routes.renewal)) { [services, route] request, context in
      try await route.answer(request, context, takesSuperseded: true) { sealed in
        let wanted: RenewalRequest = try sealed.value(within: services.limits)
        return try SealedAnswer(
          await RenewalCeremony(services: services).renew(wanted, over: sealed.device))
      }
    }
    router.post(RouterPath(Routes.expiredRenewal)) { [services, route] request, context in
      try await route.answerAnyone(request, context) { body, type in
        let wanted: ExpiredRenewal = try JSONBytes.decode(body, contentType: type, limits: services.limits)
        return try SealedAnswer(await ExpiredRenewalCeremony(services: services).renew(wanted))
      }
    }
    router.post(RouterPath(Routes.revocation)) { [services, route] request, context in
      try await route.answer(request, context) { sealed in
        try await RevocationCeremony(services: services).revoke(sealed.device)
        return SealedAnswer.noContent
      }
    }
    router.get(RouterPath(Routes.certificates)) { [services, route] request, context in
      try await route.answer(request, context) { sealed in
        let (id, now) = (sealed.device.id, services.now)
        let all = try await services.store.read { try $0.certificates(of: id) }
        return try SealedAnswer(
          CertificateList(
            certificates: all.filter { $0.notAfter > now }.map { CertificateSummary($0, shown: sealed.device) }))
      }
    }
    router.post(RouterPath(Routes.certificateRevocation)) { [services, route] request, context in
      try await route.answer(request, context) { sealed in
        let wanted: CertificateRevocation = try sealed.value(within: services.limits)
        guard let serial = SerialNumber(wanted.serial) else {
          throw Problem(.malformedRequest, detail: "a serial number has 2 to 40 hexadecimal digits")
        }
        try await RevocationCeremony(services: services).revoke(serial: serial, of: sealed.device)
        return SealedAnswer.noContent
      }
    }
    router.put(RouterPath(Routes.approvalKey)) { [services, route] request, context in
      try await route.answer(request, context) { sealed in
        let wanted: ApprovalKeyRegistration = try sealed.value(within: services.limits)
        let device = try await ApprovalKeyCeremony(services: services).register(wanted, over: sealed.device)
        return try SealedAnswer(DeviceStatus(device, sealed.device))
      }
    }
  }
}

extension SealedRequest {
  /// Decodes the body's JSON.
  fileprivate func value<Value: Decodable>(within limits: ServerLimits) throws -> Value {
    try JSONBytes.decode(body, contentType: contentType, limits: limits)
  }
}

extension CertificateSummary {
  fileprivate init(_ certificate: CertificateRecord, shown: AuthenticatedDevice) {
    self.init(
      serial: SerialNumber(bytes: certificate.serial).description, notAfter: certificate.notAfter,
      revoked: certificate.revoked, isShown: certificate.fingerprint == shown.fingerprint)
  }
}

extension DeviceStatus {
  /// - Parameter shown: the device as identified by the certificate.
  fileprivate init(_ device: DeviceRecord, _ shown: AuthenticatedDevice) {
    self.init(
      device: device.id.description, name: device.name, user: device.user.text, notAfter: shown.notAfter,
      hasApprovalKey: device.approvalKey != nil, approvalKeyEvidence: device.approvalEvidence)
  }
}

extension DeviceRecord {
  fileprivate init(_ shown: AuthenticatedDevice) {
    self.init(
      id: shown.id, user: shown.user, name: shown.name, created: 0, identityKey: shown.identityKey,
      approvalKey: shown.approvalKey, approvalEvidence: shown.approvalEvidence)
  }
}
