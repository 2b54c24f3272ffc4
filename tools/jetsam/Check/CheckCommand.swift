internal import ArgumentParser
internal import JetsamConfiguration
internal import SystemPackage

/// `jetsam check`: whether a configuration file can be used, and if not, everything that is wrong with it.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a configuration file, and names every fault with its line and the allowed values.",
        discussion: """
            Reads the file as the library does, YAML or JSON, and lists the settings that it changes. These are faults: unknown \
            settings, values of the wrong kind or out of range, settings that occur twice, and settings that contradict each \
            other. If the file has a section "jetsam", only that section is read: the rest belongs to the application.

            Faults are written to standard error, one a line:
              FILE:LINE:COLUMN: error: the fault, and the allowed values
            A setting that was removed is ignored. A line "warning" says what to write instead.

            EXIT STATUS
              0     the file can be used
              64    usage
              65    the file has faults
              66    the file cannot be read

            JSON, one object on one line:
              file, usable
              problems  an array: line, column (null: of the file as a whole), key, value, message, suggestion
              warnings  the same, for settings that were removed
              omitted   the number of problems that the array leaves out
              changes   an array of the settings that differ from the defaults: key, value, default
            """
    )

    @Argument(help: "The file to check; - for standard input.")
    var file: String?

    @Flag(help: "The findings as JSON.")
    var json = false

    @Option(
        help: .init(
            "Write a profile as a configuration file, with its reasons: \(Profile.all.map(\.name).joined(separator: ", ")).",
            valueName: "name"))
    var printProfile: String?

    func validate() throws {
        if let printProfile {
            guard Profile.named(printProfile) != nil else {
                let names = Profile.all.map(\.name).joined(separator: ", ")
                throw ValidationError("--print-profile must be one of \(names), not '\(printProfile)'.")
            }
            guard file == nil, !json else { throw ValidationError("--print-profile takes no file and no --json.") }
        } else if file == nil {
            throw ValidationError("A file is needed: jetsam check FILE, or - for standard input.")
        }
    }

    func run() throws {
        if let profile = printProfile.flatMap(Profile.named) { return print(profile.text, terminator: "") }
        guard let file else { return }
        let findings: CheckFindings
        do {
            findings = CheckFindings(file: file, report: try CheckReport(checking: FilePath(file)))
        } catch {
            Self.complain("\(file): error: cannot be read: \(error)")
            throw ExitCode(66)
        }
        if json {
            print(findings.json)
        } else if findings.report.isGood {
            print(findings.text, terminator: "")
        } else {
            Self.complain(findings.text)
        }
        throw ExitCode(findings.report.isGood ? 0 : 65)
    }

    private static func complain(_ text: String) {
        _ = try? FileDescriptor.standardError.writeAll((text.hasSuffix("\n") ? text : text + "\n").utf8)
    }
}
