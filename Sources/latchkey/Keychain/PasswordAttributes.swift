import ArgumentParser
import LatchkeyCommandLine
import LatchkeyKeychainModel

/// The attributes that both kinds of password have, by the letters of macOS's `security`. A value may begin with a hyphen.
struct CommonPasswordAttributes: ParsableArguments {
  @Option(name: [.customShort("a", allowingJoined: true), .long], parsing: .unconditional, help: "The account.")
  var account: String?
  @Option(
    name: [.customShort("c", allowingJoined: true), .long], parsing: .unconditional,
    help: "The creator, a code of four characters.")
  var creator: FourCharacterCode?
  @Option(
    name: [.customShort("C", allowingJoined: true), .long], parsing: .unconditional,
    help: "The type, a code of four characters.")
  var type: FourCharacterCode?
  @Option(
    name: [.customShort("D", allowingJoined: true), .long], parsing: .unconditional, help: "The kind of item, in words."
  )
  var kind: String?
  @Option(name: [.customShort("j", allowingJoined: true), .long], parsing: .unconditional, help: "The comment.")
  var comment: String?
  @Option(name: [.customShort("l", allowingJoined: true), .long], parsing: .unconditional, help: "The label.")
  var label: String?

  var values: [ItemAttribute: AttributeValue] {
    var values: [ItemAttribute: AttributeValue] = [:]
    values[.account] = account.map { .text($0) }
    values[.creator] = creator?.number
    values[.type] = type?.number
    values[.itemDescription] = kind.map { .text($0) }
    values[.comment] = comment.map { .text($0) }
    values[.label] = label.map { .text($0) }
    return values
  }
}

/// The attributes of a generic password.
struct GenericPasswordAttributes: ParsableArguments {
  @Option(name: [.customShort("s", allowingJoined: true), .long], parsing: .unconditional, help: "The service.")
  var service: String?
  @Option(
    name: [.customShort("G", allowingJoined: true), .long], parsing: .unconditional, help: "The generic attribute.")
  var generic: String?
  @OptionGroup var common: CommonPasswordAttributes

  var values: [ItemAttribute: AttributeValue] {
    var values = common.values
    values[.service] = service.map { .text($0) }
    values[.generic] = generic.map { .bytes(Array($0.utf8)) }
    return values
  }
}

/// The attributes of an internet password.
struct InternetPasswordAttributes: ParsableArguments {
  @Option(name: [.customShort("s", allowingJoined: true), .long], parsing: .unconditional, help: "The server.")
  var server: String?
  @Option(
    name: [.customShort("d", allowingJoined: true), .customLong("domain")], parsing: .unconditional,
    help: "The security domain.")
  var securityDomain: String?
  @Option(name: [.customShort("p", allowingJoined: true), .long], parsing: .unconditional, help: "The path.") var path:
    String?
  @Option(name: [.customShort("P", allowingJoined: true), .long], parsing: .unconditional, help: "The port; 0 is any.")
  var port: UInt16?
  @Option(
    name: [.customShort("r", allowingJoined: true), .customLong("protocol")], parsing: .unconditional,
    help: "The protocol, a code of four characters: http, htps, \"ftp \", \"ssh \", \"smb \" and so on")
  var networkProtocol: FourCharacterCode?
  @Option(
    name: [.customShort("t", allowingJoined: true), .long], parsing: .unconditional,
    help: "The authentication type, a code of four characters: dflt, form, http and so on")
  var authenticationType: FourCharacterCode?
  @OptionGroup var common: CommonPasswordAttributes

  var values: [ItemAttribute: AttributeValue] {
    var values = common.values
    values[.server] = server.map { .text($0) }
    values[.securityDomain] = securityDomain.map { .text($0) }
    values[.path] = path.map { .text($0) }
    values[.port] = port.flatMap { $0 == 0 ? nil : .number(Int64($0)) }
    values[.networkProtocol] = networkProtocol.map { .text($0.text) }
    values[.authenticationType] = authenticationType.map { .text($0.text) }
    return values
  }
}

/// A code of four characters: a creator or a type, which are numbers, or a protocol or an authentication type, which are
/// texts in the keychain of Apple's newer systems.
struct FourCharacterCode: ExpressibleByArgument {
  let text: String

  init?(argument: String) {
    guard argument.utf8.count == 4, argument.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    text = argument
  }

  var number: AttributeValue { .number(text.utf8.reduce(0) { $0 << 8 | Int64($1) }) }
}
