import LatchkeyKeychainModel

/// The required part of libsystemd's D-Bus client (sd-bus(3)). It uses only functions without `...`, because no others can be
/// called through a pointer, and no callbacks: messages come from `sd_bus_process`.
struct BusLibrary: Sendable {
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
  typealias Read = @convention(c) (Message, CChar, UnsafeMutableRawPointer) -> CInt
  typealias Enter = @convention(c) (Message, CChar, Text) -> CInt
  typealias Name = @convention(c) (Message) -> Text?
  typealias IsSignal = @convention(c) (Message, Text?, Text?) -> CInt
  typealias Error = @convention(c) (Message) -> UnsafeRawPointer?

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
  let read: Read
  let enter: Enter
  let exit: Number
  let hasSignature: WithText
  let isSignal: IsSignal
  let replyCookie: Large
  let sender: Name
  let path: Name
  let error: Error

  /// Loads the library.
  ///
  /// - Throws: `.biometryNotAvailable` with the package's name.
  init() throws(PresenceError) {
    let library = try DynamicLibrary("libsystemd.so.0", package: "libsystemd (Debian: libsystemd0)")
    new = try library.function("sd_bus_new", New.self)
    setAddress = try library.function("sd_bus_set_address", WithText.self)
    setBusClient = try library.function("sd_bus_set_bus_client", WithNumber.self)
    start = try library.function("sd_bus_start", Number.self)
    close = try library.function("sd_bus_close_unref", End.self)
    send = try library.function("sd_bus_send", Send.self)
    process = try library.function("sd_bus_process", Process.self)
    descriptor = try library.function("sd_bus_get_fd", Number.self)
    events = try library.function("sd_bus_get_events", Number.self)
    timeout = try library.function("sd_bus_get_timeout", Large.self)
    newCall = try library.function("sd_bus_message_new_method_call", NewCall.self)
    release = try library.function("sd_bus_message_unref", End.self)
    append = try library.function("sd_bus_message_append_basic", Append.self)
    read = try library.function("sd_bus_message_read_basic", Read.self)
    enter = try library.function("sd_bus_message_enter_container", Enter.self)
    exit = try library.function("sd_bus_message_exit_container", Number.self)
    hasSignature = try library.function("sd_bus_message_has_signature", WithText.self)
    isSignal = try library.function("sd_bus_message_is_signal", IsSignal.self)
    replyCookie = try library.function("sd_bus_message_get_reply_cookie", Large.self)
    sender = try library.function("sd_bus_message_get_sender", Name.self)
    path = try library.function("sd_bus_message_get_path", Name.self)
    error = try library.function("sd_bus_message_get_error", Error.self)
  }
}
