"""Sample Store on the command line."""

import json
import sys
from pathlib import Path

from samples import FIELDS, Samples, describe, new_samples, summary

FILE = Path("samples.json")

FIRST_FIELD, *OTHER_FIELDS = FIELDS

USAGE = f"""Sample Store

Usage: python3 cli.py add <{FIRST_FIELD}>{"".join(f" {name}=<{name}>" for name in OTHER_FIELDS)}
       python3 cli.py list
       python3 cli.py flag <id>
       python3 cli.py remove <id>"""


def main(args=None):
    command, *words = (sys.argv[1:] if args is None else args) or ["--help"]
    try:
        samples = load()
        lines = run(samples, command, words)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    if command != "--help":
        save(samples)
    print("\n".join(lines))
    return 0


def run(samples, command, words):
    """Runs a command, and returns the lines to print."""
    id = " ".join(words)
    if command == "--help":
        return [USAGE]
    if command == "add":
        return [line(samples.add(values_in(words)))]
    if command == "list":
        return [*map(line, samples.all()), summary(samples.all())]
    if command == "flag":
        sample = samples.flag(id)
        if not sample:
            raise ValueError(f'There is no sample "{id}".')
        return [line(sample)]
    if command == "remove":
        if not samples.remove(id):
            raise ValueError(f'There is no sample "{id}".')
        return [f"Removed {id}."]
    raise ValueError(USAGE)


def values_in(words):
    """A word such as "due=2026-12-31" sets that field; the other words are the first field."""
    named = [word for word in words if word.split("=", 1)[0] in OTHER_FIELDS and "=" in word]
    values = dict(word.split("=", 1) for word in named)
    return {FIRST_FIELD: " ".join(word for word in words if word not in named), **values}


def line(sample):
    return f"{sample['id']}  {'[x]' if sample['flagged'] else '[ ]'}  {describe(sample)}"


def load():
    return Samples(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else new_samples()


def save(samples):
    FILE.write_text(json.dumps(samples.all(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
