internal import Foundation
internal import Hummingbird
internal import Jetsam
internal import Logging
internal import ServiceLifecycle

/// Names of Hummingbird and Foundation mean what they mean there, in a file that imports Jetsam too. Built, and never run.
enum BesideHummingbird {
    static func names() throws {
        let environment = Environment()
        let router = Router()
        router.get("/") { request, _ -> Response in
            Response(
                status: request.uri.path == "/" ? .ok : .notFound, body: ResponseBody(byteBuffer: .init(string: "x")))
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(serverName: environment.get("NAME")))
        let manager = try ResourceManager(
            logger: Logger(label: "beside"), environment: ResourceManager.Environment())
        let services: [any Service] = [application, manager]
        let date = Date(), data = Data(), url = URL(filePath: "/"), error = HTTPError(.serviceUnavailable)
        print(services.count, date, data, url, error, Locale.current, Notification.Name("x"), ProcessInfo.processInfo)
    }
}
