import Foundation
import LatchkeyEnrollment
import Security

/// The document's login: what it does when the answer is there, line for line.
final class NormalLoginOperation: URLConnectionDelegate, @unchecked Sendable {
  var statusCode = 0
  var responseData = Data()
  private let app: App
  private let _registerDevice: Bool
  private let _passphrase: String
  private var connection: URLConnection?

  init(_ app: App, registerDevice: Bool, passphrase: String) {
    (self.app, _registerDevice, _passphrase) = (app, registerDevice, passphrase)
  }

  /// Not in the document: HTTP Basic, the request to register and the passphrase in the address.
  func start(user: String, password: String) throws {
    let query = _registerDevice ? "?register=true&pin=\(_passphrase)" : ""
    var request = try app.buildRequest(
      url: app.resourceBaseURL + "/user/authenticate" + query, httpMethod: "POST", payload: nil,
      timeout: app.operationTimeout, signingOption: .none)
    let basic = Data("\(user):\(password)".utf8).base64EncodedString()
    request.content.headers.add(name: "Authorization", value: "Basic \(basic)")
    connection = URLConnection(app: app, request: request, delegate: self)
  }

  func connectionDidFinishLoading(_ connection: URLConnection) {

    // successful authentication
    if self.statusCode == 200 {

      // unpack service response
      let response = try? JSONSerialization.jsonObject(with: self.responseData, options: []) as? [String: Any]

      let token = response?["token"] as? String
      app.model.token = token

      // create our client certificate if necessary, and store in the credential store
      if _registerDevice == true {

        let certString = response?["certificate"] as? String
        let certData = Data(base64Encoded: certString ?? "") ?? Data()

        var identity: SecIdentity?
        var certificate: SecCertificate?
        Utils.identity(
          &identity, andCertificate: &certificate, fromPKCS12Data: certData, withPassphrase: _passphrase)

        // store the certificate for future authentication challenges
        if let identity, let certificate {

          // store the certificate and identity in the keychain
          let certArray = [certificate]
          let credential = Credential(
            identity: identity,
            certificates: certArray,
            persistence: .permanent)

          let certSpace = ProtectionSpace(
            host: app.host,
            port: app.port,
            protocol: .https,
            realm: "",
            authenticationMethod: .clientCertificate)
          do {
            try app.sharedCredentialStorage.setDefaultCredential(
              credential,
              for: certSpace)

            // we got what we needed, save it for later
            app.defaults.setBool(true, forKey: "registeredDevice")
            app.defaults.synchronize()
          } catch {
            // The document's call cannot fail; this one says why.
            UIAlertView(title: "Keychain", message: "\(error)", cancelButtonTitle: "OK")
              .show(on: app.sharedApplication)
          }
        }
      }

      // issue command to retrieve users accounts
      app.fetchAccounts()

      // alert observers
      DispatchQueue.main.async { [app] in
        app.center.post(name: kNormalLoginSuccessNotification, object: nil)
      }

      // authentication failed
    } else {

      // alert observers
      DispatchQueue.main.async { [app] in
        app.center.post(name: kNormalLoginFailedNotification, object: nil)
      }
    }

    self.finish()
  }

  func connection(_ connection: URLConnection, didFailWithError error: any Error) {
    DispatchQueue.main.async { [app] in
      app.center.post(name: kNormalLoginFailedNotification, object: nil)
    }
    self.finish()
  }

  private func finish() { connection = nil }
}
