/// The version of Latchkey: `--version` of both programs, OpenAPI, the user agent and the manuals show it. `Scripts/release` edits it.
package enum ProgramVersion {
  /// As in the tag (Semantic Versioning 2.0.0).
  package static let text = "0.1.0"
}
