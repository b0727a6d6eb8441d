"""Sample Store on the command line."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from samples import Sample, Samples

FILE = Path("samples.json")

USAGE = """Sample Store

Usage: python3 cli.py add <caption>
       python3 cli.py list
       python3 cli.py flag <id>
       python3 cli.py remove <id>"""


def main(args=None):
    command, *rest = (sys.argv[1:] if args is None else args) or [""]
    try:
        samples = load()
        lines = run(samples, command, " ".join(rest))
        save(samples)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(lines))
    return 0


def run(samples, command, rest):
    """Does what the command says, and returns the lines to print."""
    if command == "add":
        return [line(samples.add(rest))]
    if command == "list":
        return [line(sample) for sample in samples.all()] or ["No samples yet."]
    if command == "flag":
        sample = samples.flag(rest)
        if not sample:
            raise ValueError(f'There is no sample "{rest}".')
        return [line(sample)]
    if command == "remove":
        if not samples.remove(rest):
            raise ValueError(f'There is no sample "{rest}".')
        return [f"Removed {rest}."]
    raise ValueError(USAGE)


def line(sample):
    return f"{sample.id}  {'[x]' if sample.flagged else '[ ]'}  {sample.caption}"


def load():
    if not FILE.exists():
        return Samples()
    return Samples(Sample(**saved) for saved in json.loads(FILE.read_text(encoding="utf-8")))


def save(samples):
    saved = [asdict(sample) for sample in samples.all()]
    FILE.write_text(json.dumps(saved, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
