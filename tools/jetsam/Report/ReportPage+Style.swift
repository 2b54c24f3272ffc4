extension ReportPage {
    /// All colours keep the contrast that WCAG 2 asks for at level AA, on both grounds.
    static let style = """
        :root { color-scheme: light dark; --ground: #ffffff; --raised: #f3f5f7; --ink: #1b1f24; --quiet: #535b65;
          --edge: #c3cad2; --grid: #dde2e7; --usage: #0b57d0; --unreclaimable: #7a2fa0; --limit: #1b1f24; --high: #8a4b00;
          --really: #00695c; --warning: #7a4f00; --critical: #b3261e; --link: #0b57d0; --band-warning: #ffe8b5;
          --band-critical: #fac7c2; --bar: #0b57d0; }
        @media (prefers-color-scheme: dark) { :root { --ground: #12161b; --raised: #1c222a; --ink: #e8edf2;
          --quiet: #a6b1bd; --edge: #46505b; --grid: #2b333c; --usage: #83b8ff; --unreclaimable: #d9aaff; --limit: #e8edf2;
          --high: #f2b661; --really: #6fd6c4; --warning: #f2c14e; --critical: #ff9d94; --link: #83b8ff;
          --band-warning: #4d3c0c; --band-critical: #6b201b; --bar: #83b8ff; } }
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; }
        body { margin: 0 auto; max-width: 76rem; padding: 1rem 1.25rem 3rem; background: var(--ground); color: var(--ink);
          font: 1rem/1.5 system-ui, sans-serif; }
        h1 { font-size: 1.75rem; line-height: 1.2; margin: .5rem 0 0; }
        h2 { font-size: 1.35rem; margin: 2.5rem 0 .5rem; padding-top: .75rem; border-top: 1px solid var(--edge); }
        h3 { font-size: 1.1rem; margin: 0; }
        a { color: var(--link); }
        a:focus-visible, .scroll:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        .skip { position: absolute; left: -100vw; }
        .skip:focus { position: static; }
        .file { margin: 0; color: var(--quiet); overflow-wrap: anywhere; }
        .banner { margin: .75rem 0 0; padding: .6rem .9rem; border: 2px solid var(--warning); border-left-width: .6rem;
          background: var(--raised); }
        nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0 0; padding: 0; }
        figure { margin: 1.75rem 0 0; padding: 1rem 1rem .5rem; border: 1px solid var(--edge); border-radius: .5rem; }
        figcaption p, .facts { margin: .15rem 0 0; color: var(--quiet); font-size: .9rem; max-width: 72rem; }
        .facts { margin: .75rem 0 .25rem; }
        .legend { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1.5rem; margin: .5rem 0 0; padding: 0;
          font-size: .9rem; }
        .legend svg { vertical-align: .1em; margin-right: .35rem; }
        .plot { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); margin-top: 1.5rem; }
        .plot .y, .plot .x { position: relative; color: var(--quiet); font-size: .8rem; line-height: 1.15;
          font-variant-numeric: tabular-nums; }
        .plot .y span { position: absolute; right: .6rem; transform: translateY(50%); white-space: pre; text-align: right; }
        .plot .area { position: relative; height: 200px; border: solid var(--edge); border-width: 0 0 1px 1px; }
        .plot .area > svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
        .plot .words { position: absolute; inset: -1.2rem 0 auto; font-size: .75rem; line-height: 1.3; }
        .plot .words span { position: absolute; overflow: hidden; white-space: nowrap; text-align: center; }
        .plot .x { grid-column: 2; height: 1.6rem; }
        .plot .x span { position: absolute; top: .4rem; transform: translateX(-50%); white-space: nowrap; }
        .plot .x span:first-child { transform: none; }
        .plot .x span.last { transform: translateX(-100%); }
        .definitions { position: absolute; }
        .band.warning { fill: var(--band-warning); }
        .band.critical { fill: var(--band-critical); stroke: var(--critical); stroke-width: 1; vector-effect: non-scaling-stroke; }
        .key { padding: 0 .3em; font-weight: 600; color: var(--ink); }
        .key.warning { background: var(--band-warning); }
        .key.critical { background: var(--band-critical); outline: 1px solid var(--critical); }
        .grid { fill: none; stroke: var(--grid); stroke-width: 1; vector-effect: non-scaling-stroke; mix-blend-mode: multiply; }
        .line { fill: none; stroke: var(--ink); stroke-width: 1.75; stroke-linejoin: round; stroke-linecap: round;
          vector-effect: non-scaling-stroke; }
        .line.usage { stroke: var(--usage); stroke-width: 2.25; }
        .line.headroom, .line.stall { stroke: var(--usage); stroke-width: 2.25; }
        .line.unreclaimable { stroke: var(--unreclaimable); stroke-dasharray: 7 3; stroke-linecap: butt; }
        .line.limit { stroke: var(--limit); stroke-dasharray: 14 5; stroke-linecap: butt; }
        .line.high { stroke: var(--high); stroke-dasharray: 2 4; }
        .line.really { stroke: var(--really); stroke-dasharray: 12 4 2 4; stroke-linecap: butt; }
        .line.warning { stroke: var(--warning); stroke-dasharray: 10 5; stroke-linecap: butt; }
        .line.critical { stroke: var(--critical); stroke-dasharray: 3 4; stroke-linecap: butt; }
        .line.level { stroke-width: 2.25; stroke-linejoin: miter; stroke-linecap: butt; }
        .line.count { stroke: var(--usage); stroke-linejoin: miter; }
        .bar { fill: var(--bar); }
        .measure { display: block; height: .35rem; min-width: 1px; margin-top: .15rem; background: var(--bar); }
        .scroll { overflow-x: auto; margin: 1rem 0 0; }
        table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
        caption { text-align: left; font-weight: 600; padding-bottom: .35rem; }
        th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--grid);
          font-weight: 400; }
        thead th { font-weight: 600; border-bottom-color: var(--edge); }
        th.figure, td.figure { text-align: right; white-space: nowrap; }
        bdi { overflow-wrap: anywhere; }
        .none { color: var(--quiet); font-style: italic; }
        footer { margin-top: 2.5rem; color: var(--quiet); font-size: .85rem; }
        @media (prefers-color-scheme: dark) { .grid { mix-blend-mode: screen; } }
        @media (max-width: 40rem) { body { padding: .75rem .75rem 2rem; } figure { padding: .75rem .6rem .4rem; }
          .plot { grid-template-columns: 4.6rem minmax(0, 1fr); } .plot .x span:nth-child(even):not(.last) { display: none; }
          .plot .y, .plot .x { font-size: .72rem; } .plot .words { font-size: .63rem; top: -1.05rem; } th, td { padding-right: .6rem; } }
        @media print { figure { break-inside: avoid; } nav, .skip { display: none; } }
        """
}
