/// The files that systemd asks a service to watch, from the environment.
struct SystemdRequest: Equatable {
    /// An absolute path.
    var path: String
    /// The bytes to write after opening it; nil for nothing.
    var bytes: [UInt8]?

    /// - Throws: ``WatchFailure`` with the reason where nothing is to be watched or the request makes no sense.
    init(environment: [String: String]) throws(WatchFailure) {
        guard let path = environment["MEMORY_PRESSURE_WATCH"], !path.isEmpty else {
            throw WatchFailure(reason: "MEMORY_PRESSURE_WATCH is not set: no service manager asked for it")
        }
        if path == "/dev/null" {
            throw WatchFailure(reason: "MEMORY_PRESSURE_WATCH is /dev/null: the service manager switched it off")
        }
        guard path.hasPrefix("/") else {
            throw WatchFailure(reason: "MEMORY_PRESSURE_WATCH is \"\(path.prefix(60))\", which is no absolute path")
        }
        self.path = path
        if let text = environment["MEMORY_PRESSURE_WRITE"], !text.isEmpty {
            guard let decoded = Base64.decode(text) else {
                throw WatchFailure(reason: "MEMORY_PRESSURE_WRITE is \"\(text.prefix(60))\", which is not base64")
            }
            bytes = decoded
        }
    }
}
