// A part of the page LatchkeyEnrollmentServer.

import LatchkeyCertificateAuthority
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import Logging
import ServiceLifecycle

func serve(
  _ chain: [[UInt8]], _ key: [UInt8], _ authority: CertificateAuthority, _ answerKey: any AuthorityKey,
  _ store: any EnrollmentStore, _ logger: Logger
) async throws {
  var configuration = ServerConfiguration(
    certificateChain: chain, privateKey: key, authority: authority, answerKey: answerKey, store: store,
    node: "first", logger: logger)
  configuration.port = 8443
  let server = try EnrollmentServer(configuration)
  try await ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm], logger: logger).run()
}
