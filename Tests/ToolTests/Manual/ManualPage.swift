import CommandOutput
import JetsamTrace
import MemoryPressure

/// The command's manual page in the form of man(7), from what the command says of itself (`--experimental-dump-help`).
struct ManualPage {
    private let root: JSONText

    init?(_ help: JSONText) {
        guard let command = help["command"] else { return nil }
        root = command
    }

    /// Commands that the help lists; `help` itself is none.
    private var commands: [JSONText] {
        (root["subcommands"]?.elements ?? []).filter {
            $0["shouldDisplay"]?.bool == true && $0["commandName"]?.string != "help"
        }
    }

    private var name: String { root["commandName"]?.string ?? "" }

    var text: String {
        var lines = [
            ".\\\" Made by tools/manual from the command's own help: change that instead.",
            ".TH \(name.uppercased()) 1 \"\" \"Jetsam\" \"User Commands\"", ".SH NAME",
            Self.escaped("\(name) - \(Self.summary(root))"), ".SH SYNOPSIS",
        ]
        for command in commands {
            lines += [".B \(Self.escaped("\(name) \(command["commandName"]?.string ?? "")"))"]
            lines += [Self.synopsis(command), ".br"]
        }
        lines += [".SH DESCRIPTION", Self.escaped(root["abstract"]?.string ?? "")]
        lines += Self.paragraphs(root["discussion"]?.string ?? "")
        lines.append(".SH COMMANDS")
        for command in commands { lines += Self.section(command) }
        lines += [
            ".SH COMPLETIONS", ".B \(Self.escaped("\(name) --generate-completion-script"))",
            "bash, zsh or fish prints them.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The abstract as a phrase, as whatis(1) wants it.
    private static func summary(_ command: JSONText) -> String {
        let text = command["abstract"]?.string ?? ""
        let first = text.prefix(1).lowercased() + text.dropFirst()
        return first.hasSuffix(".") ? String(first.dropLast()) : first
    }

    private static func arguments(_ command: JSONText) -> [JSONText] {
        (command["arguments"]?.elements ?? []).filter {
            $0["shouldDisplay"]?.bool == true && $0["preferredName"]?["name"]?.string != "help"
        }
    }

    private static func synopsis(_ command: JSONText) -> String {
        arguments(command).map { argument in
            let form = form(argument)
            return argument["isOptional"]?.bool == true ? "[\(form)]" : form
        }.joined(separator: " ")
    }

    /// The argument as it is written: bold what stands for itself, italic what stands for something else.
    private static func form(_ argument: JSONText) -> String {
        let value = "\\fI\(escaped(argument["valueName"]?.string ?? ""))\\fR"
        let more = argument["isRepeating"]?.bool == true ? "..." : ""
        guard argument["kind"]?.string != "positional" else { return value + more }
        let name = argument["preferredName"]
        let dashes = name?["kind"]?.string == "long" ? "--" : "-"
        let option = "\\fB\(escaped(dashes + (name?["name"]?.string ?? "")))\\fR"
        return (argument["kind"]?.string == "flag" ? option : "\(option) \(value)") + more
    }

    private static func section(_ command: JSONText) -> [String] {
        var lines = [
            ".SS \(escaped(command["commandName"]?.string ?? ""))", escaped(command["abstract"]?.string ?? ""),
        ]
        for argument in arguments(command) {
            lines += [".TP", form(argument), escaped(argument["abstract"]?.string ?? "")]
            if let value = argument["defaultValue"]?.string { lines.append(escaped("(default: \(value))")) }
        }
        return lines + paragraphs(command["discussion"]?.string ?? "")
    }

    /// Texts run on; what is indented is a table, and stays as it is.
    private static func paragraphs(_ text: String) -> [String] {
        var lines: [String] = []
        for paragraph in text.split(separator: "\n\n") {
            let parts = paragraph.split(separator: "\n")
            lines.append(".PP")
            if parts.contains(where: { $0.hasPrefix("  ") }) {
                lines += [".nf"] + parts.map { escaped(String($0)) } + [".fi"]
            } else {
                lines += parts.map { escaped(String($0)) }
            }
        }
        return lines
    }

    /// Without what groff would take for its own.
    private static func escaped(_ text: String) -> String {
        let plain = text.reduce(into: "") { $0 += $1 == "\\" ? "\\e" : $1 == "-" ? "\\-" : "\($1)" }
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }
}
