import * as z from "zod"
import { parseJson } from "../../parse-json.ts"
import type { ProjectFiles } from "../gate/find-checks.ts"

/** Paths of tests, by the conventions of their languages. */
const TESTS = [
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|__snapshots__)\//,
  /(?:^|\/)tests?\.[cm]?[jt]sx?$/,
  /[.-](?:test|spec)\.[cm]?[jt]sx?$/,
  /(?:^|\/)test_[^/]*\.py$/,
  /_test\.(?:py|go|rb|exs)$/,
  /_spec\.rb$/,
  /Tests?\.(?:java|kt|cs|swift)$/,
]

/** Paths of files that decide which tests run, and how. */
const SETTINGS = [
  /(?:^|\/)(?:conftest\.py|pytest\.ini|tox\.ini|\.coveragerc)$/,
  /(?:^|\/)\.mocharc(?:\.\w+)?$/,
  /(?:^|\/)\.npmrc$/,
  // Python takes a module of the project's before its own of that name.
  /^(?:unittest|_?pytest)(?:\.py$|\/)/,
]

/** Programs that run tests, whose settings are in files such as `vitest.config.ts`. */
const PROGRAMS: ReadonlySet<string> = new Set(["vite", "vitest", "jest", "karma", "playwright", "cypress", "ava"])
const PARTS: ReadonlySet<string> = new Set(["config", "workspace", "setup"])

/** Whether a file is a test. `named` are those that the test command names. */
export function isTest(path: string, named: ReadonlySet<string> = new Set()): boolean {
  return named.has(path) || TESTS.some((pattern) => pattern.test(path))
}

/** Whether a file decides which tests run. */
export function isTestSetting(path: string): boolean {
  const [program = "", ...words] = (path.split("/").at(-1) ?? "").split(".")
  if (PROGRAMS.has(program) && words.some((word) => PARTS.has(word))) return true
  return SETTINGS.some((pattern) => pattern.test(path))
}

const Scripts = z.object({ scripts: z.object({ test: z.string() }) })

/** The files that the project's test command names, such as `node check-all.js`. */
export function namedTests(project: ProjectFiles): string[] {
  const manifest = Scripts.safeParse(parseJson(project.text("package.json") ?? ""))
  return (manifest.data?.scripts.test ?? "")
    .split(/[\s;&|"'()]+/)
    .map((word) => word.replace(/^\.\//, ""))
    .filter((word) => word !== "package.json" && project.has(word))
}
