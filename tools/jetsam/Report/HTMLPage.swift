/// A page of HTML that needs nothing else: no script, no font, no picture from anywhere.
struct HTMLPage {
    struct Section {
        var id: String
        var title: String
        /// HTML.
        var body: String

        init(_ id: String, _ title: String, _ body: String) {
            self.id = id
            self.title = title
            self.body = body
        }
    }

    var title: String
    var heading: String
    /// The file that it was made from.
    var name: String
    /// What its navigation calls it.
    var what = "this page"
    /// Where the first link leads, in words.
    var skip = "To the tables"
    /// What has to be known before anything else is read, as HTML.
    var banners = ""
    var sections: [Section] = []
    /// HTML.
    var footer = ""

    init(title: String, heading: String, name: String) {
        self.title = title
        self.heading = heading
        self.name = name
    }

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="color-scheme" content="light dark">
        <title>\(Markup.escaped(title))</title>
        <style>
        \(ReportPage.style)
        </style>
        </head>
        <body>
        <a class="skip" href="#content">\(Markup.escaped(skip))</a>
        <header>
        <h1>\(Markup.escaped(heading))</h1>
        <p class="file">\(Markup.name(name))</p>
        \(banners)</header>
        <nav aria-label="Parts of \(Markup.escaped(what))"><ul>
        \(sections.map { "<li><a href=\"#\($0.id)\">\(Markup.escaped($0.title))</a></li>" }.joined(separator: " "))
        </ul></nav>
        <main id="content">
        \(sections.map(Self.html).joined(separator: "\n"))
        </main>
        <footer><p>\(footer)</p></footer>
        </body>
        </html>

        """
    }

    private static func html(_ section: Section) -> String {
        "<section id=\"\(section.id)\" aria-labelledby=\"\(section.id)-heading\">\n<h2 id=\"\(section.id)-heading\">"
            + "\(Markup.escaped(section.title))</h2>\n\(section.body)</section>"
    }
}
