/// The first and the last of many, and how many there were: what a table of bounded length shows.
struct Kept<Element> {
    private(set) var first: [Element] = []
    private var ring: [Element] = []
    private var next = 0
    private(set) var count = 0
    private let most: Int

    /// - Parameter most: How many of the first are kept, and as many of the last.
    init(_ most: Int = 100) {
        self.most = most
    }

    mutating func append(_ element: Element) {
        count += 1
        if first.count < most {
            first.append(element)
        } else if ring.count < most {
            ring.append(element)
        } else {
            ring[next] = element
            next = (next + 1) % most
        }
    }

    /// The last ones that are not among the first, in their order.
    var last: [Element] { Array(ring[next...] + ring[..<next]) }
    var leftOut: Int { count - first.count - ring.count }
}
