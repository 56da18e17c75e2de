import ArgumentParser

/// Whether `latchkey device` enrolls, and where its identity goes.
struct DeviceEnrollmentOptions: ParsableArguments {
  @Flag(
    help:
      "Let apps of the secure protocol enroll this device with a service: its key is made in the enclave, its identity goes to the keychain."
  )
  var enroll = false
  @Option(
    help: ArgumentHelp(
      "With --enroll: the enrollment's name in the keychain; else default.", valueName: "label"))
  var label: String?
  @OptionGroup var file: KeychainFile
  @OptionGroup var unlock: KeychainUnlock

  func validate() throws {
    guard enroll || (label == nil && file.keychain == nil && file.keyFile == nil && unlock.passcode == nil) else {
      throw ValidationError("--label, --keychain, --key-file and --passcode go with --enroll")
    }
  }
}
