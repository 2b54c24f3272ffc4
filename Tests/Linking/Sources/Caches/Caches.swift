import PurgeableCaches

/// A library's own caches: nothing else of Jetsam is there.
@main
enum Caches {
    static func main() {
        let registry = CacheRegistry()
        let values = PurgeableCache<String, Int>(name: "values", registry: registry)
        values.insert(7, for: "seven")
        let bytes = PurgeableByteCache(name: "bytes", registry: registry)
        bytes.insert([1, 2, 3], for: "key")
        print(
            values.value(for: "seven") ?? 0, bytes.withValue(for: "key") { $0.byteCount } ?? 0,
            registry.reportedBytes > 0)
    }
}
