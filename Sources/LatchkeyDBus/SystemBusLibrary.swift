import Glibc

/// The part of libsystemd's D-Bus client (sd-bus(3)) that is used here, loaded when it is needed: a machine without it still runs
/// everything else, and building this package does not need its headers.
///
/// It has only functions without `...`, because no others can be called through a pointer, and no callbacks: messages come from
/// `sd_bus_process`. The library is never unloaded.
struct SystemBusLibrary: Sendable {
  typealias Bus = OpaquePointer
  typealias Message = OpaquePointer
  typealias Text = UnsafePointer<CChar>
  typealias New = @convention(c) (UnsafeMutablePointer<Bus?>) -> CInt
  typealias WithText = @convention(c) (OpaquePointer, Text) -> CInt
  typealias WithNumber = @convention(c) (OpaquePointer, CInt) -> CInt
  typealias Number = @convention(c) (OpaquePointer) -> CInt
  typealias Large = @convention(c) (OpaquePointer, UnsafeMutablePointer<UInt64>) -> CInt
  typealias Send = @convention(c) (Bus, Message, UnsafeMutablePointer<UInt64>) -> CInt
  typealias Process = @convention(c) (Bus, UnsafeMutablePointer<Message?>) -> CInt
  typealias End = @convention(c) (OpaquePointer) -> OpaquePointer?
  typealias NewCall = @convention(c) (Bus, UnsafeMutablePointer<Message?>, Text, Text, Text, Text) -> CInt
  typealias Append = @convention(c) (Message, CChar, UnsafeRawPointer) -> CInt
  typealias AppendArray = @convention(c) (Message, CChar, UnsafeRawPointer?, Int) -> CInt
  typealias Read = @convention(c) (Message, CChar, UnsafeMutableRawPointer) -> CInt
  typealias ReadArray =
    @convention(c) (Message, CChar, UnsafeMutablePointer<UnsafeRawPointer?>, UnsafeMutablePointer<Int>) -> CInt
  typealias Container = @convention(c) (Message, CChar, Text) -> CInt
  typealias Peek =
    @convention(c) (Message, UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Text?>) -> CInt
  typealias Name = @convention(c) (Message) -> Text?
  typealias Error = @convention(c) (Message) -> UnsafeRawPointer?
  typealias IsCall = @convention(c) (Message, Text?, Text?) -> CInt
  typealias NewReply = @convention(c) (Message, UnsafeMutablePointer<Message?>) -> CInt
  typealias NewRefusal = @convention(c) (Message, UnsafeMutablePointer<Message?>, UnsafeRawPointer) -> CInt

  let new: New
  let setAddress: WithText
  let setBusClient: WithNumber
  let start: Number
  let close: End
  let send: Send
  let process: Process
  let descriptor: Number
  let events: Number
  let timeout: Large
  let newCall: NewCall
  let release: End
  let append: Append
  let appendArray: AppendArray
  let open: Container
  let seal: Number
  let peek: Peek
  let read: Read
  let readArray: ReadArray
  let enter: Container
  let exit: Number
  let replyCookie: Large
  let sender: Name
  let path: Name
  let interface: Name
  let member: Name
  let error: Error
  let isCall: IsCall
  let newReply: NewReply
  let newRefusal: NewRefusal
  /// Has the library erase a message when it is freed; nil before version 246.
  let makeSensitive: Number?

  /// Loads the library.
  init() throws(BusFault) {
    let name = "libsystemd.so.0"
    guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
      throw .noBus("\(name) is not on this system: install libsystemd (Debian: libsystemd0)")
    }
    func function<Function>(_ symbol: String, _ type: Function.Type) throws(BusFault) -> Function {
      guard let address = dlsym(library, symbol) else {
        throw .noBus("\(name) has no \(symbol): install a newer libsystemd (Debian: libsystemd0)")
      }
      return unsafeBitCast(address, to: type)
    }
    new = try function("sd_bus_new", New.self)
    setAddress = try function("sd_bus_set_address", WithText.self)
    setBusClient = try function("sd_bus_set_bus_client", WithNumber.self)
    start = try function("sd_bus_start", Number.self)
    close = try function("sd_bus_close_unref", End.self)
    send = try function("sd_bus_send", Send.self)
    process = try function("sd_bus_process", Process.self)
    descriptor = try function("sd_bus_get_fd", Number.self)
    events = try function("sd_bus_get_events", Number.self)
    timeout = try function("sd_bus_get_timeout", Large.self)
    newCall = try function("sd_bus_message_new_method_call", NewCall.self)
    release = try function("sd_bus_message_unref", End.self)
    append = try function("sd_bus_message_append_basic", Append.self)
    appendArray = try function("sd_bus_message_append_array", AppendArray.self)
    open = try function("sd_bus_message_open_container", Container.self)
    seal = try function("sd_bus_message_close_container", Number.self)
    peek = try function("sd_bus_message_peek_type", Peek.self)
    read = try function("sd_bus_message_read_basic", Read.self)
    readArray = try function("sd_bus_message_read_array", ReadArray.self)
    enter = try function("sd_bus_message_enter_container", Container.self)
    exit = try function("sd_bus_message_exit_container", Number.self)
    replyCookie = try function("sd_bus_message_get_reply_cookie", Large.self)
    sender = try function("sd_bus_message_get_sender", Name.self)
    path = try function("sd_bus_message_get_path", Name.self)
    interface = try function("sd_bus_message_get_interface", Name.self)
    member = try function("sd_bus_message_get_member", Name.self)
    error = try function("sd_bus_message_get_error", Error.self)
    isCall = try function("sd_bus_message_is_method_call", IsCall.self)
    newReply = try function("sd_bus_message_new_method_return", NewReply.self)
    newRefusal = try function("sd_bus_message_new_method_error", NewRefusal.self)
    makeSensitive = try? function("sd_bus_message_sensitive", Number.self)
  }
}
