import Foundation
import LatchkeyEnrollment

extension App {
  /// `[[Model sharedModel] fetchAccounts]`.
  func fetchAccounts() {
    let operation = AccountsOperation(self)
    do {
      let request = try buildRequest(
        url: resourceBaseURL + "/user/accounts", httpMethod: "GET", payload: nil, timeout: operationTimeout,
        signingOption: .header)
      operation.connection = URLConnection(app: self, request: request, delegate: operation)
    } catch {
      UIAlertView(title: "Accounts", message: "\(error)", cancelButtonTitle: "OK").show(on: sharedApplication)
    }
  }
}

/// The document's accounts: how their answer is decrypted and verified, line for line.
final class AccountsOperation: URLConnectionDelegate, @unchecked Sendable {
  var statusCode = 0
  var responseData = Data()
  private let app: App
  fileprivate var connection: URLConnection?

  init(_ app: App) { self.app = app }

  func connectionDidFinishLoading(_ connection: URLConnection) {

    // unpack service response
    let response = try? JSONSerialization.jsonObject(with: self.responseData, options: []) as? [String: Any]

    // decrypt the payload
    let inboundMAC = response?["mac"] as? String
    let ivData = (response?["iv"] as? String)?.data(using: .utf8)
    let encryptedResponse = response?["payload"] as? String
    let decryptedResponse = encryptedResponse?.decryptedWithAES(
      usingKey: kAESEncryptionKey, andIV: ivData ?? Data())

    if let decryptedResponse {
      // create our JSON array of account info
      let accounts =
        try? JSONSerialization.jsonObject(with: decryptedResponse.data(using: .utf8) ?? Data(), options: [])
        as? [[String: Any]]

      // validate the MAC
      let generatedMAC = decryptedResponse.hmac(withKey: kMACKey)
      if inboundMAC == generatedMAC {

        // validation passed, create accounts
        for accountData in accounts ?? [] {
          if let account = Account(data: accountData) {
            app.model.add(account)
          }
        }

        // post notification
        DispatchQueue.main.async { [app] in
          app.center.post(name: kAccountOperationSuccessful, object: nil)
        }

      } else {
        // dispatch alert view message to the main thread
        DispatchQueue.main.async { [app] in
          UIAlertView(
            title: "Unsecure Connection",
            message:
              "We're unable to verify account data validity. Please check your network connection and try again.",
            cancelButtonTitle: "OK"
          ).show(on: app.sharedApplication)
        }

        // post notification
        DispatchQueue.main.async { [app] in
          app.center.post(name: kAccountOperationError, object: nil)
        }

      }
    } else {
      // dispatch alert view message to the main thread
      DispatchQueue.main.async { [app] in
        UIAlertView(
          title: "Unsecure Connection",
          message:
            "We're unable to interpret account data validity. Please check your network connection and try again.",
          cancelButtonTitle: "OK"
        ).show(on: app.sharedApplication)
      }

    }

    self.finish()
  }

  func connection(_ connection: URLConnection, didFailWithError error: any Error) {
    DispatchQueue.main.async { [app] in
      app.center.post(name: kAccountOperationError, object: nil)
    }
    self.finish()
  }

  private func finish() { connection = nil }
}
