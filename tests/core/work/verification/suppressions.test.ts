import { describe, expect, it } from "vitest"
import { type Files, judged, PASSES, project } from "./judged.ts"

/** A line that hides something from a project's checks, and its file. */
interface Case {
  path: string
  line: string
  /** Files of the project. The default has a package.json with a test command. */
  before?: Files
}

const python = {
  "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-ra'\n",
  "test_more.py": "def test_more(): ...\n",
}
const rust = { "Cargo.toml": '[package]\nname = "m"\n' }
const java = { "pom.xml": "<project>\n</project>\n" }
const make = { Makefile: "test:\n\t./run-tests\n" }

const CASES: Case[] = [
  ...["@ts-ignore", "@ts-expect-error", "@ts-nocheck"].map((mark) => ({ path: "sum.ts", line: `// ${mark}` })),
  ...["/* eslint-disable */", "// eslint-disable-next-line no-undef", "x() // eslint-disable-line"].map((line) => ({
    path: "sum.js",
    line,
  })),
  { path: "sum.tsx", line: "// biome-ignore lint/suspicious/noExplicitAny: later" },
  { path: "sum.ts", line: "// oxlint-disable no-undef" },
  { path: "sum.ts", line: "// deno-lint-ignore no-explicit-any" },
  ...["x = 1  # noqa", "# ruff: noqa: E501", "x = y()  # type: ignore[arg]", "# mypy: ignore-errors"].map((line) => ({
    ...{ path: "sum.py", before: python, line },
  })),
  ...["# pyright: ignore", "# pylint: disable=all"].map((line) => ({
    ...{ path: "sum.py", before: python, line },
  })),
  ...["x() //nolint:errcheck", "//lint:ignore SA1000 later", "//go:build ignore"].map((line) => ({
    ...{ path: "sum.go", before: { "go.mod": "module m\n", "sum_test.go": "package m\n" }, line },
  })),
  ...["#[allow(dead_code)]", "#![allow(warnings)]", "#[expect(unused)]"].map((line) => ({
    ...{ path: "src/sum.rs", before: rust, line },
  })),
  { path: "Cargo.toml", before: rust, line: "[lib]\ntest = false" },
  { path: "Cargo.toml", before: rust, line: '[lints.clippy]\nall = "allow"' },
  { path: "src/Sum.java", before: java, line: '@SuppressWarnings("all")' },
  { path: "pom.xml", before: java, line: "<skipTests>true</skipTests>" },
  { path: "Sum.kt", before: make, line: '@Suppress("UNCHECKED_CAST")' },
  { path: "build.gradle", before: make, line: "test { enabled = false }" },
  { path: "sum.rb", before: make, line: "x # rubocop:disable Lint/All" },
  { path: "Sum.cs", before: make, line: "#pragma warning disable CS0168" },
  { path: "sum.php", before: make, line: "x(); // @phpstan-ignore-line" },
  { path: "sum.swift", before: make, line: "// swiftlint:disable all" },
  { path: "sum.sh", before: make, line: "# shellcheck disable=SC2086" },
]

const issuesOf = (before: Files, changes: Record<string, string | null>, more = {}) =>
  judged({ before, changes, oldTests: PASSES, commands: { lint: "lint" }, ...more }).issues

describe("a mark that hides a finding from a check", () => {
  it.each(CASES)("fails the work that adds it to $path: $line", ({ path, line, before = project }) => {
    const was = { ...before, [path]: before[path] ?? "text\n" }
    expect(issuesOf(was, { [path]: `${was[path]}${line}\n` })).toEqual([
      expect.stringContaining(`${path} hides more from the checks than before: \``),
    ])
    // This also holds for a new file.
    if (!(path in before)) expect(issuesOf(before, { [path]: `text\n${line}\n` })).toHaveLength(1)
  })

  it.each(CASES)("is the project's own choice if it was there before, in $path: $line", (one) => {
    const { path, line, before = project } = one
    const was = { ...before, [path]: `${before[path] ?? "text\n"}${line}\n` }
    expect(issuesOf(was, { [path]: `${was[path]}more\n` })).toEqual([])
  })

  it("may move to another file", () => {
    const was = { ...project, "a.ts": "// @ts-ignore\nx()\n", "b.ts": "" }
    expect(issuesOf(was, { "a.ts": "", "b.ts": "// @ts-ignore\nx()\n" })).toEqual([])
    expect(issuesOf(was, { "a.ts": "", "b.ts": "// @ts-ignore\n// @ts-ignore\n" })).toHaveLength(1)
  })

  it("is an assertion if a test expects an error", () => {
    const was = { ...project, "sum.test.ts": project["sum.test.js"] ?? "" }
    expect(issuesOf(was, { "sum.test.ts": `${was["sum.test.ts"]}// @ts-expect-error\nadd("1")\n` })).toEqual([])
  })

  it("is allowed if tests may change, and in a project without checks", () => {
    const changes = { "sum.ts": "// @ts-ignore\n" }
    expect(issuesOf(project, changes, { mayChangeTests: true })).toEqual([])
    expect(issuesOf({ "README.md": "Nothing yet.\n" }, changes, { commands: {} })).toEqual([])
  })

  it("is left alone if no check of the project reports what it hides", () => {
    const only = (path: string, line: string, commands: object) =>
      issuesOf(project, { [path]: `${line}\n` }, { commands }).length
    expect(only("sum.ts", "// @ts-ignore", {})).toBe(0)
    expect(only("sum.ts", "// @ts-ignore", { build: "tsc" })).toBe(1)
    expect(only("sum.ts", "// eslint-disable", { build: "tsc" })).toBe(0)
    expect(only("src/sum.rs", "#[allow(dead_code)]", { build: "cargo build" })).toBe(0)
    expect(only("pom.xml", "<skipTests>true</skipTests>", {})).toBe(1)
  })
})

describe("a test", () => {
  it.each([
    ["sum.test.ts", "process.exit(0)", project],
    ["sum.test.ts", "process.exit()", project],
    ["test_sum.py", "sys.exit(0)", python],
    ["test_sum.py", "os._exit(0)", python],
    ["sum_test.go", "os.Exit(0)", { "go.mod": "module m\n" }],
    ["tests/sum.rs", "std::process::exit(0);", rust],
    ["src/SumTest.java", "System.exit(0);", java],
    ["sum_spec.rb", "exit 0", make],
  ])("fails the work if it ends its process well: %s, %s", (path, line, before) => {
    const was = { ...before, [path]: "text\n" }
    expect(issuesOf(was, { [path]: `text\n${line}\n` })).toEqual([expect.stringContaining("can exit as if all tests")])
    expect(issuesOf({ ...was, [path]: `text\n${line}\n` }, { [path]: `text\n${line}\nmore\n` })).toEqual([])
  })
})

describe("a definition of a check", () => {
  const scripts = (test: string, others = {}) => JSON.stringify({ scripts: { test }, ...others })
  it.each([
    ["a lower bound of coverage in package.json", { c8: { lines: 90 } }, { c8: { lines: 10 } }],
    ["another one there", { nyc: { lines: 90 } }, { nyc: {} }],
    ["a pattern of tests there", { jest: {} }, { jest: { testPathIgnorePatterns: ["sum"] } }],
  ])("fails the work if it accepts more: %s", (_, was, is) => {
    const before = { ...project, "package.json": scripts("node --test", was) }
    expect(issuesOf(before, { "package.json": scripts("node --test", is) })).toEqual([
      expect.stringContaining("was changed from"),
    ])
  })

  it("fails the work if it accepts more in pyproject.toml", () => {
    const before = {
      ...python,
      "pyproject.toml": `${python["pyproject.toml"]}[tool.coverage.report]\nfail_under = 90\n`,
    }
    const after = { "pyproject.toml": before["pyproject.toml"].replace("90", "10") }
    expect(issuesOf(before, after)).toEqual([
      expect.stringContaining("tool.coverage.report of pyproject.toml was changed"),
    ])
  })

  it.each([
    ...["node --test || true", "node --test; exit 0", "node --test || :", "vitest run -u", "jest --updateSnapshot"],
    ...["playwright test --update-snapshots", "INSTA_UPDATE=always cargo test", "pytest --snapshot-update"],
    ...["vitest run --passWithNoTests", "UPDATE_SNAPSHOTS=1 npm run unit"],
  ])("fails the work if a new command always ends well: %s", (command) => {
    const changes = { "package.json": scripts(command), "sum.test.js": "" }
    expect(issuesOf({ "sum.js": "" }, changes)).toEqual([expect.stringContaining("hides failures")])
    const before = { ...project, "package.json": scripts(command) }
    expect(issuesOf(before, { "sum.js": "1" })).toEqual([])
  })
})
