// SPDX-License-Identifier: Apache-2.0

import RemoraKit
import Testing

@Suite("Connections that are opened before they are needed", .timeLimit(.minutes(2)))
struct PreconnectTests {
  @Test("A pre-connect sends the names of the application and the platform")
  func platform() async throws {
    let server = try LoopbackListener()
    let url = "http://127.0.0.1:\(server.port)/connect"
    try Client.preconnect(to: url, applicationName: "host 1", platform: "kiosk")
    #expect(await server.requestLine() == "GET /connect?app=host%201&platform=kiosk HTTP/1.1")
  }

  @Test("A pre-connect never sends the headers of the configuration, which may contain credentials")
  func headers() async throws {
    let server = try LoopbackListener()
    let configuration = Client.Configuration(
      storageDirectory: nil, applicationName: "host", headers: ["Authorization: Bearer secret", "User-Agent: mine"])
    try Client.preconnect(to: "http://127.0.0.1:\(server.port)/connect", configuration)
    let lines = await server.requestLines()
    #expect(lines.contains { $0.hasPrefix("User-Agent: host") })
    #expect(!lines.contains { $0.hasPrefix("Authorization") || $0.contains("mine") })
  }

  @Test("A pre-connect uses the proxy of the clients that will use the connection")
  func proxy() async throws {
    let proxy = try LoopbackListener()
    try Client.preconnect(
      to: "http://settings.test/connect", applicationName: "host", proxy: "http://127.0.0.1:\(proxy.port)")
    #expect(
      await proxy.requestLine() == "GET http://settings.test/connect?app=host&platform=linux HTTP/1.1")
  }

  @Test("A pre-connect with a transport sends no request, and an option that cannot work is refused")
  func refused() throws {
    let server = RemoraKit.TestServer()
    try Client.preconnect(
      to: "https://settings.test", .init(storageDirectory: nil, applicationName: "host", transport: server))
    #expect(server.requests == [])
    func parameter(_ url: String, _ configuration: Client.Configuration) -> String? {
      do throws(RemoraError) { try Client.preconnect(to: url, configuration) } catch { return error.parameter }
      return nil
    }
    let url = "http://127.0.0.1:9"
    #expect(parameter("ftp://host", .init(storageDirectory: nil, applicationName: "a")) == "url")
    #expect(parameter(url, .init(storageDirectory: nil)) == "applicationName")
    #expect(parameter(url, .init(storageDirectory: nil, applicationName: "a", proxy: "x://y")) == "proxy")
    #expect(parameter(url, .init(storageDirectory: nil, applicationName: "a", caFile: "/missing")) == "caFile")
  }
}
