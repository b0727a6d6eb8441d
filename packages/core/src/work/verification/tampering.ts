import * as z from "zod"
import { parseJson } from "../../text/parse-json.ts"
import type { ProjectFiles } from "../gate/check.ts"
import { findChecks } from "../gate/find-checks.ts"
import type { ChangedTest, CheckCommands } from "../gate/schema.ts"
import type { ChangedFile } from "./changed-file.ts"
import { scriptsOf, targetsOf } from "./check-commands.ts"
import { addedSuppressions } from "./suppressions.ts"
import { isCheckDefinition, isCheckFile, isTest, isTestSetting, namedTests } from "./test-files.ts"
import { findWeakening } from "./weakening.ts"

/** A project before and after an agent's work. */
export interface Comparison {
  base: ProjectFiles
  head: ProjectFiles
  changed: ChangedFile[]
}

/** Finds changes that weaken the project's own checks. Returns them as sentences for the agent. */
export function findTampering(comparison: Comparison, set: CheckCommands = {}): string[] {
  return [
    ...changedCommands(comparison, set),
    ...swallowedFailures(comparison, set),
    ...weakenedTests(comparison),
    ...hiddenFindings(comparison, set),
  ]
}

/** Lists the suppressions that a change adds to checks that the project already had. */
function hiddenFindings({ base, head, changed }: Comparison, set: CheckCommands): string[] {
  const named = namesIn(base, head)
  const checks = findChecks(base, set).map(({ name }) => name)
  return addedSuppressions(changed, { isTest: (path) => isTest(path, named), checks })
}

/** Finds changes that weaken tests: skipped, looser or fewer tests. Includes all tests, no matter who wrote them. */
export function weakenedTests(comparison: Comparison): string[] {
  const skipped = skippedTests(comparison)
  const named = namesIn(comparison.base, comparison.head)
  const tests = comparison.changed.filter(({ path }) => isTest(path, named))
  return skipped.length > 0 ? skipped : findWeakening(tests)
}

function testsIn({ base, head, changed }: Comparison): ChangedFile[] {
  const named = namesIn(base, head)
  return changed.filter(({ path }) => isCheckFile(path, named))
}

/**
 * Finds existing test files that were changed or deleted, and test settings that are new or changed. By running the
 * original versions, the caller can find out if the work broke the behaviour that they protect.
 */
export function changedTests({ base, head, changed }: Comparison): string[] {
  const named = namesIn(base, head)
  const isOld = (file: ChangedFile) =>
    file.before !== null && (isTest(file.path, named) || (isCheckDefinition(file.path) && isLoosened(file)))
  return changed.filter((file) => isOld(file) || isTestSetting(file.path)).map(({ path }) => path)
}

/**
 * Judges the test files that were added by the work, by comparing them with every version that was checked earlier.
 * Leaves out files for which `isOld` returns true, because they existed before the work and are judged separately.
 */
export function judgeOwnTests(
  sinceChecks: readonly Comparison[],
  isOld: (path: string) => boolean,
  {
    reasons = new Map(),
    commands = {},
  }: { reasons?: ReadonlyMap<string, string>; commands?: CheckCommands | undefined } = {},
): { weakened: string[]; changed: ChangedTest[]; files: ChangedFile[] } {
  const own = sinceChecks.map((one) => ({ ...one, changed: one.changed.filter(({ path }) => !isOld(path)) }))
  const weakened = [...new Set(own.flatMap((one) => [...weakenedTests(one), ...hiddenFindings(one, commands)]))]
  const changed = new Map(own.flatMap((one) => describeTests(one, reasons)).map((test) => [test.path, test]))
  const files = new Map(own.toReversed().flatMap((one) => testsIn(one).map((file) => [file.path, file])))
  return { weakened, changed: [...changed.values()], files: [...files.values()] }
}

/** Describes changed tests and test settings, including the reasons for the changes, if known. */
export function describeTests(comparison: Comparison, reasons: ReadonlyMap<string, string> = new Map()): ChangedTest[] {
  const paths = new Set(changedTests(comparison))
  const changed = comparison.changed.filter(({ path }) => paths.has(path))
  return changed.map((file) => ({ path: file.path, reason: reasons.get(file.path) ?? null, kind: kindOf(file) }))
}

function kindOf({ path, before, after }: ChangedFile): ChangedTest["kind"] {
  if (isTestSetting(path) || isCheckDefinition(path)) return "settings"
  if (after === null) return "deleted"
  const lines = after.split("\n")
  let at = 0
  for (const line of before?.split("\n") ?? []) {
    at = lines.indexOf(line, at) + 1
    if (at === 0) return "changed"
  }
  return "extended"
}

/**
 * Returns true if the definition of a check may have become more lenient, because it gained a line that allows more or
 * lost a line that requires something.
 */
function isLoosened({ before, after }: ChangedFile): boolean {
  const [was, is] = [before, after].map((text) => new Set((text ?? "").split("\n").map((line) => line.trim())))
  const added = [...(is ?? [])].filter((line) => !was?.has(line))
  const removed = [...(was ?? [])].filter((line) => !is?.has(line))
  return added.some((line) => ALLOWS.test(line)) || removed.some((line) => DEMANDS.test(line))
}

const ALLOWS =
  /\boff\b|:\s*0\b|\bfalse\b|ignore|exclude|disable|skip|warn|allow|continue-on-error|\|\|\s*true|"!|\bnone\b/i
const DEMANDS = /\btrue\b|error|strict|include|select|enable|recommended|\brun\b|test|lint|check|\b[12]\b/i

const KEEP = "Restore it: only a person may change how this project is checked."

function changedCommands({ base, head }: Comparison, set: CheckCommands): string[] {
  const names = (["build", "lint", "test"] as const).filter((name) => set[name] === undefined)
  return names.flatMap((name) => {
    const [before, after] = [definitionsOf(base, name), definitionsOf(head, name)]
    // A new command may be added, unless its settings exclude tests that ran before without the command.
    if (Object.keys(before).length === 0) return name === "test" ? leavesOut(base, after, set) : []
    const places = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...places].flatMap((place) => changeOf(place, before[place], after[place]))
  })
}

function leavesOut(base: ProjectFiles, after: Record<string, string>, set: CheckCommands): string[] {
  if (!findChecks(base, set).some(({ name }) => name === "test")) return []
  const places = Object.entries(after).filter(([, text]) => LEAVES_OUT.test(text))
  return places.map(([place, text]) => `${place} was added, and leaves out tests: \`${oneLine(text)}\`. ${KEEP}`)
}

/** Settings that select the tests that a test runner runs. */
const LEAVES_OUT =
  /--(?:deselect|ignore|exclude)|["'\s]-[km]\b|\b(?:testpaths|norecursedirs|python_(?:files|classes|functions)|testPathIgnorePatterns|testMatch|testRegex|exclude)\b/

function changeOf(place: string, before: string | undefined, after: string | undefined): string[] {
  if (after === before) return []
  if (after === undefined) return [`${place} was removed. ${KEEP}`]
  if (before === undefined) return [`${place} was added. ${KEEP}`]
  return [`${place} was changed from \`${oneLine(before)}\` to \`${oneLine(after)}\`. ${KEEP}`]
}

/** Finds new commands that always succeed. Commands that existed before are the project's own choice. */
function swallowedFailures({ base, head }: Comparison, set: CheckCommands): string[] {
  const names = (["build", "lint", "test"] as const).filter((name) => set[name] === undefined)
  return names.flatMap((name) => {
    const known = new Set(Object.values(definitionsOf(base, name)))
    const added = Object.entries(definitionsOf(head, name)).filter(
      ([, text]) => !known.has(text) && (SWALLOWS.test(text) || updatesSnapshots(text)),
    )
    return added.map(
      ([place, text]) => `${place} hides failures: \`${oneLine(text)}\`. It must fail if anything fails.`,
    )
  })
}

/** Returns true if a command updates its expected results (snapshots). */
function updatesSnapshots(command: string): boolean {
  return (
    /\b(?:vitest|jest|playwright)\b/.test(command) &&
    /\s(?:-u|--update(?:Snapshots?|-snapshots?)?)(?![\w-])/.test(command)
  )
}

const SWALLOWS =
  /\|\|\s*(?:true|:|exit\s+0|echo|printf)|;\s*(?:true|exit\s+0)\s*$|--pass-?[wW]ith-?[nN]o-?[tT]ests|--exit-zero|\bset \+e\b|process\.exit\(0\)|^\t-|--snapshot-update\b|\b(?:INSTA_UPDATE|INSTA_FORCE_PASS|UPDATE_(?:SNAPSHOTS?|EXPECT|GOLDENS?|GOLDEN_FILES))=/m

const Manifest = z.record(z.string(), z.json()).catch({})
const Scripts = z.record(z.string(), z.string()).catch({})

/** Returns the definitions of a check. Each key describes the place of the definition. */
function definitionsOf(project: ProjectFiles, name: "build" | "lint" | "test"): Record<string, string> {
  const manifest = Manifest.parse(parseJson(project.text("package.json") ?? ""))
  const scripts = Scripts.parse(manifest.scripts)
  const found: Record<string, string> = {}
  for (const script of scriptsOf(scripts, name)) found[`The script "${script}" of package.json`] = scripts[script] ?? ""
  const targets = targetsOf(project.text("Makefile") ?? "", name)
  for (const [target, text] of targets) found[`The target "${target}" of the Makefile`] = text
  if (name === "build") return found
  const { keys, sections } = SETTINGS[name]
  for (const key of keys) {
    if (manifest[key] !== undefined) found[`"${key}" in package.json`] = JSON.stringify(manifest[key])
  }
  for (const [section, key] of (project.text("pyproject.toml") ?? "").matchAll(sections)) {
    found[`The section ${key} of pyproject.toml`] = section.trim()
  }
  return found
}

/** Settings of linters and test runners: keys of package.json, and sections of pyproject.toml. */
const SETTINGS = {
  lint: {
    keys: ["eslintConfig", "eslintIgnore", "xo", "standard", "prettier"],
    sections: /^\[(tool\.(?:ruff|mypy|pylint|flake8|pyright)[^\]\n]*)\][^\n]*(?:\n(?!\[)[^\n]*)*/gm,
  },
  test: {
    keys: ["jest", "mocha", "ava", "vitest", "tap", "nyc", "c8"],
    sections: /^\[(tool\.(?:pytest|coverage)[^\]\n]*)\][^\n]*(?:\n(?!\[)[^\n]*)*/gm,
  },
}

/** Patterns of code that skips a test. */
const SKIPS = new RegExp(
  [
    /\b(?:it|test|describe|suite|context|specify|bench)(?:\.\w+)*\.(?:skip|todo|skipIf|runIf|failing|fails|fixme)\b/,
    /\bx(?:it|test|describe|context|specify)\b\s*[("']/,
    // Matches the options of a test, but not fields of its test data.
    /\b(?:it|test|describe|suite)(?:\.\w+)*\(\s*(?:"[^"\n]*"|'[^'\n]*'|`[^`\n]*`)\s*,\s*\{[^}]{0,120}\b(?:skip|todo):\s*(?!false\b|undefined\b)/,
    /\b(?:this|t|ctx|context)\.skip\(|\bpending\s*(?:["']|\(\s*[)"'])/,
    /@(?:pytest\.mark|unittest)\.(?:skip|xfail|expectedFailure)\w*|\bpytest\.(?:skip|xfail|importorskip)\(|\bpytestmark\s*=|\bself\.skipTest\(|\bSkipTest\b|\b__test__\s*=\s*False|\bcollect_ignore\w*\s*=/,
    /\bt\.Skip(?:Now|f)?\(|\btesting\.Short\(\)/,
    /#\[ignore\b|#\[cfg_attr\([^)]{0,100}ignore/,
    /@(?:Disabled|Ignore|Enabled)\w*|\bassum(?:e|ing)(?:True|False|That)\b|\bAssume\./,
    /\[(?:Fact|Theory|Test)\(\s*Skip\b|\[Ignore\b|\bAssert\.(?:Ignore|Inconclusive)\(|\bXCTSkip\w*|\bmarkTest(?:Skipped|Incomplete)\(|@tag :skip/,
    /^[ \t]*skip(?:[ \t]*["'(]|$)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gm",
)
/** Patterns of code that skips all other tests. */
const FOCUS =
  /\b(?:it|test|describe|suite|context|specify)(?:\.\w+)*\.only\b|\bf(?:it|describe|context|specify)\b\s*[("']|\bonly:\s*true\b|:focus\b|\bfocus:\s*true\b|@tag :only/g

/** Patterns of code that ends the process successfully. */
const EXITS =
  /\bprocess\.exit\(\s{0,9}0?\s{0,9}\)|\bprocess\.exitCode\s{0,9}=\s{0,9}0|\bDeno\.exit\(\s{0,9}0?\s{0,9}\)|\bsys\.exit\(\s{0,9}0?\s{0,9}\)|\bos\._exit\(\s{0,9}0\s{0,9}\)|\bpytest\.exit\([^)\n]{0,80}\b0\s{0,9}\)|\bos\.Exit\(\s{0,9}0\s{0,9}\)|\bprocess::exit\(\s{0,9}0\s{0,9}\)|\bSystem\.exit\(\s{0,9}0\s{0,9}\)|\bexitProcess\(\s{0,9}0\s{0,9}\)|\bEnvironment\.Exit\(\s{0,9}0\s{0,9}\)|^[ \t]{0,40}exit!?(?:\(\s{0,9}0?\s{0,9}\)|[ \t]{1,9}0)/gm

function skippedTests({ base, head, changed }: Comparison): string[] {
  const named = namesIn(base, head)
  const tests = changed.filter(({ path }) => isTest(path, named))
  const more = (marks: RegExp) => tests.filter(({ before, after }) => count(after, marks) > count(before, marks))
  return [
    ...more(SKIPS).map(
      ({ path }) => `${path} skips tests that it didn't skip before. A test that doesn't run proves nothing.`,
    ),
    ...more(EXITS).map(({ path }) => `${path} can exit as if all tests had passed. Let all tests run to completion.`),
    ...more(FOCUS).map(({ path }) => `${path} runs only some of its tests. Let all of them run.`),
    ...tests
      .filter(({ before, after }) => runsNone(after) && !runsNone(before))
      .map(({ path }) => `${path} has a TestMain that doesn't run any tests. It must call m.Run().`),
  ]
}

/** Returns true if a Go test file defines `TestMain` without running the tests. */
function runsNone(text: string | null): boolean {
  return text !== null && /^func TestMain\(/m.test(text) && !/\.Run\(\)/.test(text)
}

function namesIn(base: ProjectFiles, head: ProjectFiles): ReadonlySet<string> {
  return new Set([...namedTests(base), ...namedTests(head)])
}

function count(text: string | null, marks: RegExp): number {
  return text?.match(marks)?.length ?? 0
}

function oneLine(text: string): string {
  const line = text.replaceAll("`", "'").replace(/\s+/g, " ").trim()
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}
