/// An object that a connection offers: one interface at one path, for one caller.
package struct BusObject {
  let path: String
  let interface: String
  let caller: String
  let answer: (BusCall) throws(BusRefusal) -> [BusValue]

  /// - Parameters:
  ///   - caller: the unique name of the connection that may call; every other one gets an error.
  ///   - answer: answers a call. It runs on the thread that waits on the connection, and must not use it.
  package init(
    path: String, interface: String, caller: String, answer: @escaping (BusCall) throws(BusRefusal) -> [BusValue]
  ) {
    self.path = path
    self.interface = interface
    self.caller = caller
    self.answer = answer
  }

  /// Answers a message that calls a method, from any sender.
  func answer(_ message: BusMessage) throws(BusRefusal) -> [BusValue] {
    // The bus vouches for the sender's name, and gives it to no second connection.
    guard message.sender == caller else { throw .accessDenied }
    guard message.path == path else { throw .unknownObject }
    guard message.interface == interface || message.interface == nil, let member = message.member else {
      throw .unknownMethod
    }
    let arguments: [BusValue]
    do throws(BusFault) {
      arguments = try message.values()
    } catch {
      throw .invalidArguments
    }
    return try answer(BusCall(member: member, arguments: arguments))
  }
}

/// A call of a method of an exported object. The arguments are the caller's: any number, of any type.
package struct BusCall: Sendable {
  package let member: String
  package let arguments: [BusValue]
}

/// Why an exported object refuses a call (D-Bus specification, "Error messages"). The caller reads both.
package struct BusRefusal: Error, Hashable, Sendable {
  package let name: String
  package let text: String

  package init(name: String, text: String) {
    self.name = name
    self.text = text
  }

  package static let accessDenied = BusRefusal(
    name: "org.freedesktop.DBus.Error.AccessDenied", text: "this connection may not call")
  package static let unknownObject = BusRefusal(
    name: "org.freedesktop.DBus.Error.UnknownObject", text: "there is no such object")
  package static let unknownMethod = BusRefusal(
    name: "org.freedesktop.DBus.Error.UnknownMethod", text: "there is no such method")
  package static let invalidArguments = BusRefusal(
    name: "org.freedesktop.DBus.Error.InvalidArgs", text: "the arguments are not those of the method")
}
