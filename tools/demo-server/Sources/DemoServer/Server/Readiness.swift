internal import NIOConcurrencyHelpers
internal import ServiceLifecycle

/// Whether new requests are wanted, where no manager says so: from the moment that the server listens until a shutdown
/// begins.
///
/// As a service it is the last of its group, and so the first to hear of a shutdown.
final class Readiness: Service {
    private enum State {
        case starting, ready, leaving
    }

    private let state = NIOLockedValueBox(State.starting)

    var isReady: Bool {
        state.withLockedValue { $0 == .ready }
    }

    func serverIsListening() {
        state.withLockedValue { if $0 == .starting { $0 = .ready } }
    }

    func run() async throws {
        try? await gracefulShutdown()
        state.withLockedValue { $0 = .leaving }
    }
}
