import Testing

/// Runs the built command as the transcripts say, and compares all that a user would see.
@Suite struct TranscriptTests {
  @Test(arguments: Transcript.all) func transcript(_ transcript: Transcript) throws {
    #expect(!transcript.steps.isEmpty)
    for step in transcript.steps {
      let result = try BuiltCommand.run(step.arguments, input: step.input)
      let command = Comment(rawValue: "latchkey \(step.arguments.joined(separator: " "))")
      #expect(result.output == step.output, command)
      #expect(result.errors == step.errors, command)
      #expect(result.status == step.status, command)
    }
  }
}
