import Testing

@testable import jetsam_stress

@Suite("What wrk says")
struct LoadReportTests {
    @Test("Requests, refusals, broken requests and the latency are found")
    func whole() {
        let report = LoadReport(
            """
            Running 10s test @ http://127.0.0.1:4000
              2 threads and 32 connections
              Thread Stats   Avg      Stdev     Max   +/- Stdev
                Latency     3.10ms    5.02ms  98.41ms   91.23%
                Req/Sec     5.01k     1.02k    8.02k    70.00%
              Latency Distribution
                 50%    1.62ms
                 90%    7.10ms
                 99%   24.47ms
              99671 requests in 10.00s, 1.53GB read
              Socket errors: connect 3, read 12, write 1, timeout 5
              Non-2xx or 3xx responses: 7
            Requests/sec:   9967.10
            """)
        #expect(report.requests == 99_671)
        #expect(report.refused == 7)
        #expect(report.broken == 17)
        #expect(report.p99Milliseconds == 24.47)
    }

    @Test("Where it said nothing, nothing was answered")
    func empty() {
        let report = LoadReport("unable to connect to 127.0.0.1:4000 Connection refused\n")
        #expect(report.requests == 0)
        #expect(report.p99Milliseconds == nil)
    }

    @Test(
        "Times have units",
        arguments: [("850.00us", 0.85), ("1.25ms", 1.25), ("2.50s", 2500), ("1.50m", 90_000)] as [(Substring, Double)])
    func units(text: Substring, milliseconds: Double) {
        #expect(LoadReport.milliseconds(text) == milliseconds)
    }

    @Test("What is no time is none", arguments: ["", "fast", "12", "3 parsecs"] as [Substring])
    func noTime(text: Substring) {
        #expect(LoadReport.milliseconds(text) == nil)
    }
}
