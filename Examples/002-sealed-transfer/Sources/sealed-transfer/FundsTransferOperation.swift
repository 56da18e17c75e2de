import Foundation
import LatchkeyEnrollment

private let kEndpoint = "/account/transferfunds"
private let kHTTPMethod = "POST"

/// The document's transfer: how it starts, line for line.
final class FundsTransferOperation: URLConnectionDelegate, @unchecked Sendable {
  var statusCode = 0
  var responseData = Data()
  var _toAccount: String?
  var _fromAccount: String?
  var _amount: Double?
  var _transferDate: Date?
  var _transferNotes: String?
  /// `[NSDate date]`.
  var date: @Sendable () -> Date = { Date() }
  var signingOption = NJRequestSigningOption.header
  private(set) var isExecuting = false
  private let app: App
  private var connection: URLConnection?

  init(_ app: App) { self.app = app }

  func start() {

    if !NSThread.isMainThread {
      performOnMainThread()
      return
    }

    // No key-value observing on Linux: willChangeValueForKey: and didChangeValueForKey: are left out.
    isExecuting = true

    // alert observers of the failed attempt
    DispatchQueue.main.async { [app] in
      app.center.post(name: kFundsTransferStartNotification, object: nil)
    }

    // clean up any nil values
    let toAccount = _toAccount ?? ""
    let fromAccount = _fromAccount ?? ""
    let amount = _amount.map { String(format: "%.02f", $0) } ?? "0.00"
    let dateText = _transferDate.map { "\($0)" } ?? "\(date())"
    let transferDate = _transferDate ?? date()
    let transferNotes = _transferNotes ?? ""

    // build our transfer data
    let transfer = [
      "toAccount": toAccount,
      "fromAccount": fromAccount,
      "transferDate": dateText,
      "transferNotes": transferNotes,
      "amount": amount,
    ]

    // create the json representation of our transfer data using ios5 API
    let transferData = (try? JSONSerialization.data(withJSONObject: transfer, options: [])) ?? Data()
    let transferString = String(decoding: transferData, as: UTF8.self)

    // generate our initialization vector
    guard let iv = Utils.blockInitializationVector(ofLength: kCCBlockSizeAES128) else { return fail() }

    // because we generate random bytes, it may not be proper UTF8 encoding.
    // because of this, we can't just init a string with data. instead,
    // we encode it for transmission. the IV is then decoded on the service
    // and used in the decryption process
    let ivString = iv.base64EncodedString()

    // encrypt our transfer data using AES and a randomly generated IV (this IV needs to be what we send to the service)
    let encryptedString = transferString.encryptedWithAES(usingKey: kAESEncryptionKey, andIV: iv)

    // calculate our message authentication code
    let macCandidate =
      "\(toAccount)"  // to account
      + "\(fromAccount)"  // from account
      + "\(amount)"  // amount
      + "\(transferDate)"  // transfer date

    let mac = macCandidate.hmac(withKey: kMACKey)

    // construct our payload
    let payload = [
      "iv": ivString,
      "mac": mac,
      "payload": encryptedString ?? "",
    ]

    // build our funds transfer request and issue it
    let url = app.resourceBaseURL + kEndpoint

    // build our funds transfer request and issue it
    guard
      let request = try? app.buildRequest(
        url: url,
        httpMethod: kHTTPMethod,
        payload: payload,
        timeout: app.operationTimeout,
        signingOption: signingOption)
    else { return fail() }

    connection = URLConnection(app: app, request: request, delegate: self)

    app.sharedApplication.networkActivityIndicatorVisible = true
  }

  /// `performSelectorOnMainThread:withObject:waitUntilDone:`, as part of the operation's task.
  private func performOnMainThread() {
    app.run { @MainActor [self] in start() }
  }

  func connectionDidFinishLoading(_ connection: URLConnection) {
    let name = statusCode == 200 ? kFundsTransferSuccessNotification : kFundsTransferFailedNotification
    DispatchQueue.main.async { [app] in app.center.post(name: name, object: nil) }
    finish()
  }

  func connection(_ connection: URLConnection, didFailWithError error: any Error) { fail() }

  private func fail() {
    DispatchQueue.main.async { [app] in app.center.post(name: kFundsTransferFailedNotification, object: nil) }
    finish()
  }

  private func finish() {
    connection = nil
    app.sharedApplication.networkActivityIndicatorVisible = false
    isExecuting = false
  }
}
