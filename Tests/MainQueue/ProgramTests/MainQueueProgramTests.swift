import LatchkeyTestSupport
import Testing

@Suite("Programs whose main thread never returns")
struct MainQueueProgramTests {
  @Test(
    "Managers without a queue work in a program of its own", .timeLimit(.minutes(5)),
    arguments: ["main-queue-run-loop", "main-queue-dispatch-main"])
  func managersWithoutAQueueWork(program: String) throws {
    let run = try ProgramRun(ProgramPath.built(program), [])
    #expect(run.output == "main\n")
    #expect(run.status == 0)
  }
}
