import * as z from "zod"
import { parseJson } from "../../parse-json.ts"
import type { ProjectFiles } from "../gate/find-checks.ts"
import type { CheckCommands } from "../gate/schema.ts"
import { isTest, isTestSetting, namedTests } from "./test-files.ts"

/** A file that differs between two commits; null where it is missing, or no text. */
export interface ChangedFile {
  path: string
  before: string | null
  after: string | null
}

/** A project before and after an agent's work. */
export interface Comparison {
  base: ProjectFiles
  head: ProjectFiles
  changed: ChangedFile[]
}

/** The ways in which a change takes the force out of the project's own checks, each as a sentence for the agent. */
export function findTampering(comparison: Comparison, set: CheckCommands = {}): string[] {
  return [...changedCommands(comparison, set), ...skippedTests(comparison)]
}

/**
 * The files of tests that were there before and were changed or deleted, and settings of tests that are new or changed: with these as
 * they were, the old tests show whether the work broke what they protect.
 */
export function changedTests({ base, head, changed }: Comparison): string[] {
  const named = namesIn(base, head)
  const isOld = ({ path, before }: ChangedFile) => before !== null && isTest(path, named)
  return changed.filter((file) => isOld(file) || isTestSetting(file.path)).map(({ path }) => path)
}

const KEEP = "Put it back as it was: only a person can change how this project is checked."

function changedCommands({ base, head }: Comparison, set: CheckCommands): string[] {
  const names = (["build", "lint", "test"] as const).filter((name) => set[name] === undefined)
  return names.flatMap((name) => {
    const [before, after] = [definitionsOf(base, name), definitionsOf(head, name)]
    // A project that had no such command may get one.
    if (Object.keys(before).length === 0) return []
    const places = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...places].flatMap((place) => changeOf(place, before[place], after[place]))
  })
}

function changeOf(place: string, before: string | undefined, after: string | undefined): string[] {
  if (after === before) return []
  if (after === undefined) return [`${place} was removed. ${KEEP}`]
  if (before === undefined) return [`${place} was added. ${KEEP}`]
  return [`${place} was changed from \`${oneLine(before)}\` to \`${oneLine(after)}\`. ${KEEP}`]
}

const Manifest = z.record(z.string(), z.json()).catch({})
const Scripts = z.record(z.string(), z.string()).catch({})
/** The test programs whose settings a package.json may have. */
const RUNNERS = ["jest", "mocha", "ava", "vitest", "tap"]

/** The texts that decide what a check does, by their places. */
function definitionsOf(project: ProjectFiles, name: "build" | "lint" | "test"): Record<string, string> {
  const manifest = Manifest.parse(parseJson(project.text("package.json") ?? ""))
  const scripts = Scripts.parse(manifest.scripts)
  const found: Record<string, string> = {}
  for (const script of [`pre${name}`, name, `post${name}`]) {
    const text = scripts[script]
    if (text !== undefined && !/no test specified/.test(text)) found[`The script "${script}" of package.json`] = text
  }
  const target = new RegExp(`^${name}\\s*:(?!=)[^\\n]*(?:\\n[\\t ][^\\n]*)*`, "m").exec(project.text("Makefile") ?? "")
  if (target) found[`The target "${name}" of the Makefile`] = target[0]
  if (name !== "test") return found
  for (const runner of RUNNERS) {
    if (manifest[runner] !== undefined) found[`"${runner}" in package.json`] = JSON.stringify(manifest[runner])
  }
  const pytest = /^\[tool\.pytest[^\n]*(?:\n(?!\[)[^\n]*)*/m.exec(project.text("pyproject.toml") ?? "")
  if (pytest) found["The section of pytest in pyproject.toml"] = pytest[0].trim()
  return found
}

/** Marks by which a test program leaves a test out. */
const SKIPS =
  /\b(?:it|test|describe|suite|context)\.(?:skip|todo|skipIf|failing)\b|\bx(?:it|test|describe)\s*\(|\b(?:skip|todo):\s*(?:true|["'`])|@(?:pytest\.mark|unittest)\.(?:skip|xfail|expectedFailure)\w*|\bpytest\.skip\(|\bself\.skipTest\(|\bt\.(?:Skip(?:Now|f)?|skip)\(|#\[ignore\b|@Disabled\b|@Ignore\b/g
/** Marks by which it leaves all others out. */
const FOCUS = /\b(?:it|test|describe|suite|context)\.only\b|\bf(?:it|describe)\s*\(|\bonly:\s*true\b/g

function skippedTests({ base, head, changed }: Comparison): string[] {
  const named = namesIn(base, head)
  const tests = changed.filter(({ path }) => isTest(path, named))
  const more = (marks: RegExp) => tests.filter(({ before, after }) => count(after, marks) > count(before, marks))
  return [
    ...more(SKIPS).map(
      ({ path }) => `${path} skips tests that it didn't skip before. A test that doesn't run shows nothing.`,
    ),
    ...more(FOCUS).map(({ path }) => `${path} runs only some of its tests. Let all of them run.`),
    ...tests
      .filter(({ before, after }) => runsNone(after) && !runsNone(before))
      .map(({ path }) => `${path} has a TestMain that runs no tests. Let it call m.Run().`),
  ]
}

/** Whether a file of Go's tests takes over how they are run, and doesn't run them. */
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
