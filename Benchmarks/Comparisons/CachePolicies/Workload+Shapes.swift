import ComparisonSupport

extension Workload {
    /// A hundred thousand keys, one after another and round again, as a program does that goes through the same files: the worst
    /// that LRU can be given. All of it counts.
    static func loop() -> Workload {
        Workload(Trace((0..<2_000_000).lazy.map { $0 % 100_000 }))
    }

    /// What the pages of a database's buffer see: transactions that go down an index (a root, 200 inner pages, 20,000 leaves) to a
    /// row's page, by Zipf 0.9 over 200,000 pages, and come back to that page up to three times within the next twenty accesses; new
    /// rows at the end, of which the latest are asked for most; and one time in two thousand a report that reads 2,000 pages in
    /// their order. All of it counts.
    static func database() -> Workload {
        let pages = 200_000
        let zipf = Zipf(count: pages, exponent: 0.9)
        let recency = Zipf(count: pages, exponent: 1.1)
        var random = Shuffle(state: 4)
        var order = Array(0..<pages)
        order.shuffle(using: &random)
        var end = pages
        var accesses: [Int] = []
        var again: [(page: Int, due: Int)] = []
        while accesses.count < 2_000_000 {
            let choice = Int.random(in: 0..<2000, using: &random)
            if choice == 0 {
                let first = Int.random(in: 0..<end - 2000, using: &random)
                accesses += first..<first + 2000
                continue
            }
            if choice < 50 { end += 1 }
            let page =
                choice < 600 ? end - 1 - min(end - 1, recency.next(using: &random)) : order[zipf.next(using: &random)]
            // The index stands apart from the rows: below 0.
            accesses += [-1, -2 - page / 1000 % 200, -300 - page / 10 % 20_000, page]
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                again.append((page, accesses.count + Int.random(in: 1...20, using: &random)))
            }
            let count = accesses.count
            accesses += again.lazy.filter { $0.due <= count }.map(\.page)
            again.removeAll { $0.due <= count }
        }
        return Workload(Trace(accesses))
    }

    /// What becomes popular and is forgotten, as news and videos are: every 20 accesses something new appears, and what is asked for is
    /// by Zipf 0.8 one of the latest 50,000; one access in ten is for something that nobody else asks for. All of it counts.
    static func drift() -> Workload {
        let zipf = Zipf(count: 50_000, exponent: 0.8)
        var random = Shuffle(state: 5)
        let accesses = (0..<2_000_000).lazy.map { access in
            if Int.random(in: 0..<10, using: &random) == 0 { return -1 - access }
            return access / 20 + 50_000 - zipf.next(using: &random)
        }
        return Workload(Trace(accesses))
    }
}
