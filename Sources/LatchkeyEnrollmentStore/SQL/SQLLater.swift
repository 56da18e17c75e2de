/// The result of a statement that was begun and may still be under way (``SQLSession/beginChange(_:_:)``).
///
/// For the thread of its session.
public final class SQLLater<Value> {
  private enum State {
    case known(Result<Value, any Error>)
    case pending(() throws -> Value)
  }

  private var state: State

  /// A result that is there.
  public init(_ value: Value) { state = .known(.success(value)) }

  /// A result that `take` waits for, once.
  public init(_ take: @escaping () throws -> Value) { state = .pending(take) }

  /// The result; waits for it if need be.
  ///
  /// - Throws: what the statement failed with.
  public func take() throws -> Value {
    switch state {
    case .known(let result): return try result.get()
    case .pending(let take):
      let result = Result { try take() }
      state = .known(result)
      return try result.get()
    }
  }

  /// What `transform` makes of the result, when it is taken.
  public func map<Other>(_ transform: @escaping (Value) throws -> Other) -> SQLLater<Other> {
    SQLLater<Other> { try transform(self.take()) }
  }
}
