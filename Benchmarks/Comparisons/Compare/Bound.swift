/// What a figure must come to.
struct Bound: Sendable {
    enum Limit {
        case atMost(Double, String)
        case atLeast(Double, String)

        var text: String {
            switch self {
            case .atMost(_, let text), .atLeast(_, let text): text
            }
        }

        func holds(_ measured: Double) -> Bool {
            switch self {
            case .atMost(let limit, _): measured <= limit
            case .atLeast(let limit, _): measured >= limit
            }
        }
    }

    typealias Measure = @Sendable (Figures) throws(MissingFigure) -> Double

    let what: String
    let measure: Measure
    let limit: @Sendable (Figures) throws(MissingFigure) -> Limit

    init(_ what: String, _ limit: Limit, _ measure: @escaping Measure) {
        self.what = what
        self.measure = measure
        self.limit = { (_) throws(MissingFigure) in limit }
    }

    /// A limit that depends on what the machine can do.
    init(
        _ what: String, _ measure: @escaping Measure,
        limit: @escaping @Sendable (Figures) throws(MissingFigure) -> Limit
    ) {
        self.what = what
        self.measure = measure
        self.limit = limit
    }

    /// The figure itself, of Jetsam or of another way.
    static func figure(_ what: String, _ name: String, of who: String = "jetsam", _ limit: Limit) -> Bound {
        Bound(what, limit) { (figures) throws(MissingFigure) in try figures.median(name, who) }
    }

    /// What Jetsam takes, as a share of what another takes.
    static func share(_ what: String, _ name: String, of other: String, _ limit: Limit, who: String = "jetsam") -> Bound
    {
        share(what, .init(name: name, who: who), of: .init(name: name, who: other), limit)
    }

    /// What one takes in one case, as a share of what another, or the same, takes in another.
    static func share(_ what: String, _ first: Figures.Key, of second: Figures.Key, _ limit: Limit) -> Bound {
        Bound(what, limit) { (figures) throws(MissingFigure) in try figures.share(first, of: second) }
    }
}
