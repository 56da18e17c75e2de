import LatchkeyCommandLine
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol
import LatchkeySystem

extension ProvisioningAssurance {
  /// Who vouches for what, in words.
  var words: String {
    switch self {
    case .none: "nothing is encrypted, and nothing proves who the other side is"
    case .encryptedOnly: "encrypted, but nothing proves who the other side is"
    case .weakCode: "both sides know the code; an attacker who records this can try codes offline"
    case .code: "both sides know the code"
    case .codeAndPostQuantum: "both sides know the code, and a recording stays secret from quantum computers"
    }
  }

  /// Its name in JSON.
  var code: String {
    switch self {
    case .none: "none"
    case .encryptedOnly: "encryptedOnly"
    case .weakCode: "weakCode"
    case .code: "code"
    case .codeAndPostQuantum: "codeAndPostQuantum"
    }
  }
}

extension JoinFailure {
  /// Why a device has not joined, in words.
  var words: String {
    switch self {
    case .other: "it does not say why"
    case .wrongPassphrase: "the password is wrong"
    case .networkNotFound: "no network has this name"
    case .noAddress: "the network gave it no address"
    case .timedOut: "it took too long"
    case .radioUnavailable: "it has no wireless network to join with"
    case .notPermitted: "it may not change its network"
    }
  }

  /// Its name in JSON.
  var code: String {
    switch self {
    case .other: "other"
    case .wrongPassphrase: "wrongPassphrase"
    case .networkNotFound: "networkNotFound"
    case .noAddress: "noAddress"
    case .timedOut: "timedOut"
    case .radioUnavailable: "radioUnavailable"
    case .notPermitted: "notPermitted"
    }
  }
}

extension NetworkReach {
  /// What lies beyond the network, in words; nil if nobody knows.
  var words: String? {
    switch self {
    case .unknown: nil
    case .internet: "with Internet access"
    case .portal: "behind a page that asks to log in"
    case .noInternet: "without Internet access"
    }
  }

  /// Its name in JSON.
  var code: String {
    switch self {
    case .unknown: "unknown"
    case .internet: "internet"
    case .portal: "portal"
    case .noInternet: "noInternet"
    }
  }
}

extension JoinedNetwork {
  /// The network in words.
  var words: String {
    var words = PrintableText.quoted(String(decoding: ssid, as: UTF8.self))
    if let address { words += " as \(PrintableText.escaped(address))" }
    if let reach = reach.words { words += ", \(reach)" }
    if isKept == false { words += ", until the next start: the network service may not store it" }
    return words
  }

  /// Its fields in JSON.
  var fields: [(key: String, value: JSONLine.Value)] {
    [
      ("ssid", .text(String(decoding: ssid, as: UTF8.self))), ("address", address.map { .text($0) } ?? .null),
      ("reach", .text(reach.code)), ("page", page.map { .text($0) } ?? .null),
    ]
  }
}

extension ProvisioningFailure {
  /// How the command ends.
  var status: ExitStatus {
    switch self {
    case .radioUnavailable, .notFound, .unsupported: .unavailable
    case .wrongCode: .authenticationFailed
    case .insecure, .notAuthorized: .notPermitted
    case .locked, .busy, .timedOut, .disconnected, .cancelled, .joinFailed: .tryLater
    case .enrollmentFailed(let failure): failure.status
    case .malformed, .refused: .badData
    }
  }

  /// Its name in JSON.
  var code: String {
    switch self {
    case .radioUnavailable: "radioUnavailable"
    case .notFound: "notFound"
    case .unsupported: "unsupported"
    case .wrongCode: "wrongCode"
    case .insecure: "insecure"
    case .notAuthorized: "notAuthorized"
    case .locked: "locked"
    case .busy: "busy"
    case .timedOut: "timedOut"
    case .disconnected: "disconnected"
    case .cancelled: "cancelled"
    case .joinFailed: "couldNotJoin"
    case .enrollmentFailed(let failure): failure.code
    case .malformed: "malformed"
    case .refused: "refused"
    }
  }

  /// What led to the error, where a command prints it as a member of its own in JSON.
  var cause: String? {
    if case .radioUnavailable(_, let cause) = self { return cause }
    return nil
  }

  /// What went wrong with `target`, in a line, and what to do.
  func explanation(of target: String) -> String {
    switch self {
    case .radioUnavailable(let state, let cause): ControllerOptions.absence(state, cause: cause)
    case .notFound: "\(target) was not found: is it switched on, and near?"
    case .unsupported(let words): "\(target) cannot be provisioned: \(PrintableText.escaped(words)) is missing"
    case .wrongCode: "the code is wrong, or \(target) is not the device that it belongs to"
    case .insecure(let words):
      "\(target) offers nothing that is safe enough (\(PrintableText.escaped(words))): --allow names what is accepted besides"
    case .notAuthorized: "\(target) has joined a network already, or waits for its button: press it, and try again"
    case .locked(let seconds?): "\(target) takes the next try in \(seconds.components.seconds + 1) s"
    case .locked(nil): "\(target) is locked after too many tries: press its button, and try again"
    case .busy: "\(target) serves somebody else: try again in a while"
    case .timedOut: "\(target) took too long: try again"
    case .disconnected: "the link to \(target) ended: try again"
    case .cancelled: "canceled"
    case .joinFailed(let failure): "\(target) could not join the network: \(failure.words)"
    case .enrollmentFailed(let failure): "\(target) is not enrolled: \(failure.words)"
    case .malformed(let words): "\(target) sent what its protocol does not allow: \(PrintableText.escaped(words))"
    case .refused(let words): "\(target) refused: \(PrintableText.escaped(words))"
    }
  }

  /// The error as the end of a command.
  func failure(of target: String) -> CommandFailure {
    CommandFailure(status, code: code, cause: cause, explanation(of: target))
  }
}
