/// Brings a terminal from one set of lines to the next with few bytes: only lines that differ are written again.
///
/// It keeps to moves within what it wrote itself, so that what stood on the terminal before stays where it is. The cursor rests
/// below the last line.
struct Screen {
    private var shown: [String] = []
    private var columns = 0

    /// What is to be written so that `lines` are shown.
    ///
    /// - Parameters:
    ///   - lines: No wider than the terminal.
    ///   - rows: The terminal's height; lines that do not fit above the last row are left out.
    ///   - columns: Its width: where that has changed everything is written again, as lines may have been broken.
    mutating func update(to lines: [String], rows: Int, columns: Int) -> String {
        let lines = Array(lines.prefix(max(1, rows - 1)))
        defer {
            shown = lines
            self.columns = columns
        }
        guard lines.count == shown.count, columns == self.columns else {
            // Up to the first line, and away with everything below.
            let start = shown.isEmpty ? "" : "\u{1B}[\(shown.count)A\r\u{1B}[J"
            return start + lines.map { "\($0)\r\n" }.joined()
        }
        var text = ""
        for (index, line) in lines.enumerated() where line != shown[index] {
            let distance = lines.count - index
            text += "\u{1B}[\(distance)A\r\(line)\u{1B}[K\u{1B}[\(distance)B\r"
        }
        return text
    }

    static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"
}
