import Foundation

do {
    let options = try Options(CommandLine.arguments.dropFirst())
    if options.showsHelp {
        print(Options.help)
    } else if let list = options.list {
        try Worker.run(list, options)
    } else if let seed = options.followed {
        try Worker.follow(seed, options)
    } else {
        exit(try Campaign(options).run())
    }
} catch let error as Options.Wrong {
    FileHandle.standardError.write(Data("error: \(error.text)\nTry: tools/simulate --help\n".utf8))
    exit(64)
} catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(1)
}
