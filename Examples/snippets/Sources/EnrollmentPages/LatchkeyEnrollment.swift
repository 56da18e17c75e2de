// Parts of the page LatchkeyEnrollment.

import AsyncHTTPClient
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import NIOSSL
import Security

/// What an app shows.
protocol Screen: Sendable {
  associatedtype Indicator: Spinner
  var spinner: Indicator { get }
  func show(_ accounts: [AccountSummary])
  func alert(_ title: String, _ message: String)
}

protocol Spinner {
  func start()
}

extension Screen {
  func watch(_ client: EnrollmentClient) async {
    for await event in client.accounts().events {
      switch event {
      case .started: spinner.start()
      case .succeeded(let accounts): show(accounts)
      case .failed(let error): alert(error.userTitle, error.userMessage)
      case .cancelled: break
      }
    }
  }
}

func client(showing identity: SecIdentity) throws -> HTTPClient {
  let tls = try TLSConfiguration(identity: identity)
  let http = HTTPClient(
    eventLoopGroupProvider: .singleton, configuration: .init(tlsConfiguration: tls))
  return http
}
