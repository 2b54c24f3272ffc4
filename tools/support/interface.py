"""Holds the public interface of a module against the one that is committed.

usage: interface.py GRAPHS FILE [--record]

GRAPHS is a directory of symbol graphs, as `swift symbolgraph-extract` writes them; FILE has the interface, a line for each public
declaration and for each protocol that a type conforms to. With --record FILE is written; else what differs is shown, and the exit
status is 1 where something does.
"""

import json
import pathlib
import sys


# Compilers differ in whether they name these, and nobody writes them.
IMPLIED = {"Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype", "Swift.BitwiseCopyable"}


def interface(graphs):
    lines = set()
    for path in graphs.glob("*.symbols.json"):
        graph = json.loads(path.read_text())
        names = {}
        for symbol in graph["symbols"]:
            identifier = symbol["identifier"]["precise"]
            # What a protocol of another module gives to its conformers is that module's interface.
            if "::SYNTHESIZED::" in identifier:
                continue
            name = ".".join(symbol["pathComponents"])
            declaration = "".join(part["spelling"] for part in symbol["declarationFragments"])
            names[identifier] = name
            lines.add(f"{name}: {' '.join(declaration.split())}")
        for relation in graph["relationships"]:
            if relation["kind"] == "conformsTo" and relation["source"] in names:
                protocol = relation.get("targetFallback") or names.get(relation["target"])
                if protocol and protocol not in IMPLIED:
                    lines.add(f"{names[relation['source']]}: conforms to {protocol}")
    return sorted(lines)


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--record"]
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 64
    now = interface(pathlib.Path(arguments[0]))
    file = pathlib.Path(arguments[1])
    if not now:
        print(f"error: {arguments[0]} has no public declaration", file=sys.stderr)
        return 1
    if "--record" in sys.argv:
        file.write_text("\n".join(now) + "\n")
        print(f"{len(now)} lines written to {file}")
        return 0
    then = file.read_text().splitlines() if file.exists() else []
    gone = sorted(set(then) - set(now))
    new = sorted(set(now) - set(then))
    for line in gone:
        print(f"gone: {line}")
    for line in new:
        print(f"new:  {line}")
    if gone or new:
        print(f"error: the public interface is not that of {file}. Where that is meant: tools/docs --record-interface", file=sys.stderr)
        return 1
    print(f"{len(now)} public declarations and conformances, as in {file}")
    return 0


sys.exit(main())
