// SPDX-License-Identifier: Apache-2.0
//
// A server in memory, for tests of programs.

internal import Synchronization

/// A server for tests, inside the process and without a network. Pass it as `transport` of a `Client.Configuration`,
/// and its `url` as `server`.
///
/// The server does not sign, so open collections with `trust: .off`. The server has no attachments. All functions may
/// be called on any thread, and do not wait.
///
///     let (server, clock) = (TestServer(), TestClock())
///     try server.publish("demo", ["limits": ["max_uploads": 5]])
///     let client = try Client(
///       Client.Configuration(storageDirectory: nil, server: server.url, transport: server, clock: clock))
public final class TestServer: HTTPTransport {
  fileprivate struct State {
    var collections: [String: PublishedCollection] = [:]
    var documents: [String: String] = [:]
    /// The responses to the next requests.
    var failures: [HTTPResponse] = []
    var isDown = false
    var requests: [HTTPRequest] = []
  }

  /// The URL for the option `server` of a client.
  public let url = "https://settings.test"
  private let state = Mutex(State())

  /// Creates a server that serves nothing.
  public init() {}

  /// All requests, the oldest first.
  public var requests: [HTTPRequest] { state.withLock { $0.requests } }

  /// Whether the server is down. While true, requests fail with `.network`. Default: false.
  public var isDown: Bool {
    get { state.withLock { $0.isDown } }
    set { state.withLock { $0.isDown = newValue } }
  }

  /// Publishes all records of a collection. A sync of a client finds the new version too.
  ///
  /// - Parameters:
  ///   - collection: The name of the collection.
  ///   - records: The records by their ids. `id` and `last_modified` are added to each record.
  ///   - bucket: The bucket of the collection. Default: main.
  ///   - timestamp: The version, in milliseconds since 1970. Nil means 1,000 more than the previous one.
  /// - Returns: The timestamp.
  /// - Throws: `.invalidArgument` if the timestamp is not greater than the previous one, or a record is not an object.
  @discardableResult
  public func publish(
    _ collection: String, _ records: [String: JSONValue], bucket: String = "main", timestamp: Int64? = nil
  ) throws(RemoraError) -> Int64 {
    let outcome = state.withLock { state -> Result<Int64, RemoraError> in
      let last = state.collections["\(bucket)/\(collection)"]?.timestamp ?? 0
      let timestamp = timestamp ?? last + 1000
      guard timestamp > last else {
        let problem = "timestamp must be greater than \(last), the previous one"
        return .failure(RemoraError(.invalidArgument, problem, parameter: "timestamp"))
      }
      guard let published = PublishedCollection(collection, in: bucket, records, at: timestamp) else {
        let problem = "records contains a record that is not an object"
        return .failure(RemoraError(.invalidArgument, problem, parameter: "records"))
      }
      state.collections["\(bucket)/\(collection)"] = published
      return .success(timestamp)
    }
    return try outcome.get()
  }

  /// Publishes a document at a URL: settings, a bundle, or any other JSON. Requests with any query receive it, unless
  /// another document was published at the URL with this query.
  public func publishDocument(_ document: JSONValue, at url: String) {
    state.withLock { $0.documents[url] = document.description }
  }

  /// Makes the next requests fail with an HTTP status.
  ///
  /// - Parameters:
  ///   - status: The status of the responses.
  ///   - retryAfter: The pause that the server requests, in whole seconds. Nil means no pause.
  ///   - times: The number of requests that fail. Default: 1.
  public func failNext(status: Int, retryAfter: Duration? = nil, times: Int = 1) {
    let headers = retryAfter.map { ["Retry-After: \($0.components.seconds)"] } ?? []
    let failure = HTTPResponse(status: status, headers: headers)
    state.withLock { $0.failures += Array(repeating: failure, count: max(times, 0)) }
  }

  /// Returns the response to a request of a client. Called by the client.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let response = state.withLock { state -> HTTPResponse? in
      state.requests.append(request)
      if state.isDown { return nil }
      return state.failures.isEmpty ? state.answer(to: request.url) : state.failures.removeFirst()
    }
    guard let response else { throw RemoraError(.network, "the test server is down") }
    return response
  }
}

extension TestServer.State {
  /// Returns the response to a request that does not fail.
  fileprivate func answer(to url: String) -> HTTPResponse {
    let (address, query) = (url.prefix { $0 != "?" }, url.drop { $0 != "?" }.dropFirst())
    let since = query.split(separator: "&").first { $0.hasPrefix("_since=") }.flatMap { item in
      // The value is a number in quotation marks, percent-encoded as %22.
      Int64(item.dropFirst("_since=%22".count).prefix { $0.isNumber })
    }
    let parts = address.split(separator: "/", omittingEmptySubsequences: false).suffix(5).map(String.init)
    if parts.count == 5, parts[0] == "buckets", parts[2] == "collections", parts[4] == "changeset" {
      if let found = collections["\(parts[1])/\(parts[3])"] { return found.changeset(since: since, at: address) }
      if parts[1] == "monitor", parts[3] == "changes" { return monitor.changeset(since: since, at: address) }
    }
    guard let document = documents[url] ?? documents[String(address)] else { return HTTPResponse(status: 404) }
    return HTTPResponse(body: Array(document.utf8))
  }

  /// The list of all collections with their timestamps.
  private var monitor: PublishedCollection {
    PublishedCollection(listing: collections.sorted { $0.key < $1.key }.map(\.value))
  }
}
