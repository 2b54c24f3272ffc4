import SystemPackage
import Testing

@testable import Jetsam
@testable import JetsamPolicy

/// The page about the life cycle says what the code does.
struct LifecyclePageTests {
    @Test("The documented changes and their causes are those of the code, each of them and no others")
    func changes() throws {
        let page = try LifecyclePage.read()
        var documented: [String: Set<String>] = [:]
        for row in page.rows(under: "| from | to | causes |") {
            let causes = row[2].split(separator: ", ").map { String($0.prefix { $0 != " " }) }
            for from in row[0].split(separator: ", ") {
                for to in row[1].split(separator: "; ") {
                    let target = to.prefix { $0 != "(" }.description
                    documented["\(from) → \(LifecyclePage.trimmed(target))"] = Set(causes)
                }
            }
        }
        var coded: [String: Set<String>] = [:]
        for from in ProcessState.allCases {
            for to in ProcessState.allCases {
                let causes = ProcessMachine.causes(from, to)
                if !causes.isEmpty { coded["\(from) → \(to)"] = Set(causes.map { "\($0)" }) }
            }
        }
        #expect(documented == coded)
    }

    @Test("Each callback has its line, and its deadline", arguments: LifecycleCallback.allCases)
    func callbacks(callback: LifecycleCallback) throws {
        let rows = try LifecyclePage.read().rows(under: "| callback | when | deadline |")
        let own = rows.filter { $0[0].hasPrefix("``LifecycleObserver/\(callback.rawValue)(") }
        #expect(own.count == 1)
        #expect(own.allSatisfy { $0[1].count > 10 && !$0[2].isEmpty })
        #expect(rows.count == LifecycleCallback.allCases.count)
    }

    @Test("Every rule of the platform's life cycle has its line: 41, each with what is here and what differs")
    func rules() throws {
        let rows = try LifecyclePage.read().rows(under: "| there | here | what differs, and why |")
        #expect(rows.count == 41)
        #expect(Set(rows.map { $0[0] }).count == rows.count)
        #expect(rows.allSatisfy { $0.count == 3 && $0.allSatisfy { !$0.isEmpty } })
    }
}

private struct LifecyclePage {
    var lines: [String]

    static func read() throws -> LifecyclePage {
        let text = try DocumentationPage.read("Lifecycle")
        return LifecyclePage(lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }

    /// The cells of the table with that first line.
    func rows(under header: String) -> [[String]] {
        guard let start = lines.firstIndex(of: header) else { return [] }
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map {
                Self.trimmed(String($0))
            }
        }
    }

    static func trimmed(_ text: String) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
