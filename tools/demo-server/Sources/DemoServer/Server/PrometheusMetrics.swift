internal import CoreMetrics
internal import Jetsam
internal import NIOConcurrencyHelpers

/// Collects what the manager tells, and writes it in Prometheus' text format.
///
/// As much of a collector as one page needs: a real server takes one from a package.
final class PrometheusMetrics: MetricsFactory {
    private let series = NIOLockedValueBox<[Series]>([])

    /// The values of one name and one set of dimensions.
    final class Series: CounterHandler, RecorderHandler, TimerHandler {
        private struct Values {
            var sum = 0.0
            var count = 0
            var latest: Double?
        }

        let label: String
        let dimensions: [(String, String)]
        private let values = NIOLockedValueBox(Values())

        init(_ label: String, _ dimensions: [(String, String)]) {
            self.label = label
            self.dimensions = dimensions
        }

        private func note(_ value: Double) {
            values.withLockedValue { values in
                values.sum += value
                values.count += 1
                values.latest = value
            }
        }

        func increment(by amount: Int64) { note(Double(amount)) }
        func reset() { values.withLockedValue { $0 = Values() } }
        func record(_ value: Int64) { note(Double(value)) }
        func record(_ value: Double) { note(value) }
        func recordNanoseconds(_ duration: Int64) { note(Double(duration) * 1e-9) }

        /// The lines of this series, without those that describe it; none of a gauge that was never told.
        func lines(_ kind: ResourceManager.Metric.Kind) -> [String] {
            let values = values.withLockedValue { $0 }
            let labels = dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
            let name = labels.isEmpty ? "" : "{\(labels)}"
            return switch kind {
            case .gauge: values.latest.map { ["\(label)\(name) \(Self.number($0))"] } ?? []
            case .counter: ["\(label)\(name) \(Self.number(values.sum))"]
            case .timer: ["\(label)_sum\(name) \(Self.number(values.sum))", "\(label)_count\(name) \(values.count)"]
            }
        }

        private static func number(_ value: Double) -> String {
            value == value.rounded() && value.magnitude < 1e15 ? "\(Int(value))" : "\(value)"
        }

        private static func escaped(_ text: String) -> String {
            text.reduce(into: "") { $0 += $1 == "\\" ? "\\\\" : $1 == "\"" ? "\\\"" : $1 == "\n" ? "\\n" : "\($1)" }
        }
    }

    private func add(_ label: String, _ dimensions: [(String, String)]) -> Series {
        let new = Series(label, dimensions)
        series.withLockedValue { $0.append(new) }
        return new
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { add(label, dimensions) }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        add(label, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { add(label, dimensions) }

    // The manager keeps what it has made for as long as the process lives.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    /// Every metric of the manager's, with its help and its kind.
    var lines: [String] {
        let series = series.withLockedValue { $0 }
        return ResourceManager.Metric.all.flatMap { metric -> [String] in
            let values = series.filter { $0.label == metric.label }.flatMap { $0.lines(metric.kind) }
            guard !values.isEmpty else { return [] }
            let kind = metric.kind == .timer ? "summary" : metric.kind.rawValue
            return ["# HELP \(metric.label) \(metric.help)", "# TYPE \(metric.label) \(kind)"] + values
        }
    }
}
