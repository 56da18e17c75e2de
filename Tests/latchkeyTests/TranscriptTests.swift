import LatchkeyTestSupport
import Testing

/// Runs the built command as the transcripts say, and compares all that a user would see.
@Suite struct TranscriptTests {
  @Test("A transcript prints what it says", arguments: Transcript.played) func transcript(_ transcript: Transcript)
    throws
  {
    #expect(!transcript.steps.isEmpty)
    let stage = try TranscriptStage()
    for step in transcript.steps {
      guard let result = try stage.play(step) else { continue }
      let command = Comment(rawValue: "\(step.command)")
      #expect(result.output == step.output, command)
      #expect(result.errors == step.errors, command)
      #expect(result.status == step.status, command)
    }
  }
}
