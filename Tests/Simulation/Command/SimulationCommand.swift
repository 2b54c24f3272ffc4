import Foundation

/// The program `jetsam-simulation`.
public enum SimulationCommand {
    /// Does what the command line says, and gives the exit code.
    public static func run() -> Int32 {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            if options.showsHelp {
                print(Options.help)
            } else if let list = options.list {
                try Worker.run(list, options)
            } else if let seed = options.followed {
                guard WorkerProcess.isPrepared else { return try WorkerProcess.runAgain() }
                try Worker.follow(seed, options)
            } else {
                return try Campaign(options).run()
            }
            return 0
        } catch let error as Options.Wrong {
            FileHandle.standardError.write(Data("error: \(error.text)\nTry: tools/simulate --help\n".utf8))
            return 64
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            return 1
        }
    }
}
