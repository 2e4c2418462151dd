// SPDX-License-Identifier: Apache-2.0

import RemoraKit
import Testing

@Suite("Seeds (data that an installer saves for the first launch)", .timeLimit(.minutes(2)))
struct SeedTests {
  static let url = "https://settings.test/app?region=eu"
  static let options = SettingsSource.Options(params: ["user": "u 1"], fetchAtOpen: false)

  static func configuration(_ directory: String?) -> Client.Configuration {
    Client.Configuration(
      storageDirectory: directory, applicationName: "host", applicationVersion: "2.0", applicationBuild: "7",
      headers: ["Authorization: token"], transport: RemoraKit.TestServer())
  }

  @Test("The request for a seed names the installer and the application, and has the headers of the configuration")
  func request() throws {
    let seed = Seed.settings(Self.url, Self.options)
    let request = try seed.request(Self.configuration(nil), identifier: "setup")
    #expect(request.method == "GET")
    #expect(request.url == "\(Self.url)&user=u%201&identifier=setup&app=host&version=2.0&build=7")
    #expect(request.headers.contains("Authorization: token"))
    #expect(request.headers.contains { $0.hasPrefix("User-Agent: host/2.0 (7) Remora/") })
    #expect(try seed.request(Self.configuration(nil)).url.contains("identifier=seed"))
    let bundle = Seed.bundle("https://config.test/b", BundleSource.Options(method: .post))
    #expect(try bundle.request(Self.configuration(nil)).method == "POST")
    #expect(throws: RemoraError.self) { try Seed.collection("demo").request(Self.configuration(nil)) }
  }

  @Test("A saved seed is live when the program opens the source for the first time")
  func save() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("download", Array(#"{"a":1}"#.utf8))
    let storage = "\(directory.path)/storage"
    let configuration = Self.configuration(storage)
    let seed = Seed.settings(Self.url, Self.options)
    try await seed.save("\(directory.path)/download", configuration, fetchedAtMs: 1_700_000_000_000)
    let settings = try Client(configuration).settings(Self.url, Self.options)
    #expect(try settings["a"] == 1 && settings.snapshot.origin == .cached)
    #expect(try settings.snapshot.fetchedAtMs == 1_700_000_000_000)
  }

  @Test("A file that is not a document of the source is refused, and an earlier seed stays")
  func refused() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("good", Array(#"{"a":1}"#.utf8))
    try directory.write("bad", Array("[".utf8))
    let configuration = Self.configuration(directory.path)
    let seed = Seed.settings(Self.url, Self.options)
    func code(_ file: String, _ configuration: Client.Configuration, _ seed: Seed) async -> RemoraError.Code? {
      do { try await seed.save("\(directory.path)/\(file)", configuration) } catch { return error.code }
      return nil
    }
    #expect(await code("good", configuration, seed) == nil)
    #expect(await code("bad", configuration, seed) == .parse)
    #expect(await code("missing", configuration, seed) == .storage)
    #expect(await code("good", Self.configuration(nil), seed) == .invalidArgument)
    let inMemory = Seed.settings(Self.url, SettingsSource.Options(memoryOnly: true))
    #expect(await code("good", configuration, inMemory) == .invalidArgument)
    #expect(await code("good", configuration, Seed.collection("demo")) != nil)
    #expect(try Client(configuration).settings(Self.url, Self.options)["a"] == 1)
  }
}
