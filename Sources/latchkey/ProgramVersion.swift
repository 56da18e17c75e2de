/// The version of `latchkey` and `latchkey-server`.
enum ProgramVersion {
  static let text = "0.1.0"
}
