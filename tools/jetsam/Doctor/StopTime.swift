internal import Jetsam

/// The time that whoever runs a container gives the process to end, as far as files and variables tell who that is.
enum StopTime {
    case kubernetes, docker, podman

    init?(_ files: KernelText) {
        if files.environment["KUBERNETES_SERVICE_HOST"] != nil {
            self = .kubernetes
        } else if files.exists(files.root.process("root/.dockerenv")) {
            self = .docker
        } else if files.exists(files.root.process("root/run/.containerenv")) {
            self = .podman
        } else {
            return nil
        }
    }

    /// What has to agree with the server's own grace period.
    var note: String {
        let ours = ManagerConfiguration().lifecycle.terminationGracePeriod.components.seconds
        let setting = "lifecycle.terminationGracePeriod"
        return switch self {
        case .docker, .podman:
            "Warning: \(self == .docker ? "Docker" : "Podman") kills 10 s after SIGTERM unless it is told otherwise, and Jetsam counts "
                + "on \(ours) s: run the container with --stop-timeout \(ours), or set \(setting) to 10 s."
        case .kubernetes:
            "Kubernetes kills 30 s after it asked a pod to end, or terminationGracePeriodSeconds: "
                + "\(setting) (\(ours) s unless it is set) must be the same."
        }
    }
}
