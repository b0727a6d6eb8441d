import * as z from "zod"
import { parseJson } from "../../text/parse-json.ts"
import type { ProjectFiles } from "../gate/check.ts"
import { scriptsOf, targetsOf } from "./check-commands.ts"
import { mayHideFindings } from "./suppressions.ts"

/** Paths of tests, according to the conventions of their languages. */
const TESTS = [
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|__snapshots__|__mocks__|(?:__)?fixtures?(?:__)?|testdata|goldens?)\//,
  /(?:^|\/)tests?\.(?:[cm]?[jt]sx?|py)$/,
  /[.-](?:test|spec|cy)\.[cm]?[jt]sx?$/,
  /\.(?:snap|ambr|golden)$|\.approved\.\w+$/,
  /(?:^|\/)test_[^/]*\.py$/,
  /_test\.(?:py|go|rb|exs)$/,
  /_spec\.rb$/,
  /Tests?\.(?:java|kt|cs|swift|php)$/,
]

/** Paths of files that determine which tests run and how they run. */
const SETTINGS = [
  /(?:^|\/)(?:conftest\.py|pytest\.(?:ini|toml)|tox\.ini|noxfile\.py|\.coveragerc|bunfig\.toml|nextest\.toml|\.rspec|testng\.xml)$/,
  /(?:^|\/)(?:phpunit(?:\.dist)?\.xml(?:\.dist)?|junit-platform\.properties|\.mvn\/(?:maven|jvm)\.config)$/,
  /(?:^|\/)\.(?:mocha|nyc|tap)rc(?:\.\w+)?$/,
  /(?:^|\/)(?:setup-?[tT]ests?|tests?-?[sS]etup)\.[cm]?[jt]sx?$/,
  /(?:^|\/)\.npmrc$/,
  // Python prefers a module in the project to its own module with the same name.
  /^(?:unittest|_?pytest)(?:\.py$|\/)/,
]

/** Programs that are configured by files such as `vitest.config.ts`. */
const PROGRAMS: ReadonlySet<string> = new Set(["vite", "vitest", "jest", "karma", "playwright", "cypress", "ava"])
const PARTS: ReadonlySet<string> = new Set(["config", "conf", "workspace", "setup"])

/** Paths of files that configure compilers, linters and CI pipelines. */
const DEFINITIONS = [
  /(?:^|\/)(?:tsconfig[\w.-]*\.json|jsconfig\.json|biome\.jsonc?|\.oxlintrc\.json)$/,
  /(?:^|\/)(?:\.eslintrc(?:\.\w+)?|eslint\.config\.\w+|\.eslintignore|\.prettierignore)$/,
  /(?:^|\/)(?:\.?ruff\.toml|\.flake8|\.?mypy\.ini|\.?pylintrc|pyrightconfig\.json|setup\.cfg)$/,
  /(?:^|\/)(?:\.golangci\.\w+|\.?clippy\.toml|\.rubocop\.yml|checkstyle\.xml|phpstan\.neon(?:\.dist)?)$/,
  /^(?:\.github\/workflows\/|\.circleci\/|\.gitlab-ci\.yml$|\.travis\.yml$|azure-pipelines\.yml$|Jenkinsfile$|\.pre-commit-config\.yaml$)/,
]

/** Returns true if a file is a test. `named` contains the files named in the test command. */
export function isTest(path: string, named: ReadonlySet<string> = new Set()): boolean {
  return named.has(path) || TESTS.some((pattern) => pattern.test(path))
}

/** Returns true if a file determines which tests run. */
export function isTestSetting(path: string): boolean {
  const [program = "", ...words] = (path.split("/").at(-1) ?? "").split(".")
  if (PROGRAMS.has(program) && words.some((word) => PARTS.has(word))) return true
  return SETTINGS.some((pattern) => pattern.test(path))
}

/** Returns true if a file configures a check other than the tests. */
export function isCheckDefinition(path: string): boolean {
  return DEFINITIONS.some((pattern) => pattern.test(path))
}

/** Returns true if a file is a test or configures a check. */
export function isCheckFile(path: string, named: ReadonlySet<string>): boolean {
  return isTest(path, named) || isTestSetting(path) || isCheckDefinition(path)
}

/** Returns true if a change to a file may change the result of checks. */
export function mayWeakenChecks(path: string, named: ReadonlySet<string>): boolean {
  return isCheckFile(path, named) || mayHideFindings(path)
}

const Scripts = z.object({ scripts: z.record(z.string(), z.string()).catch({}) })

/**
 * Returns the files named in the project's test command, such as `node check-all.js`, and in the scripts and targets
 * that the command runs.
 */
export function namedTests(project: ProjectFiles): string[] {
  const { scripts } = Scripts.safeParse(parseJson(project.text("package.json") ?? "")).data ?? { scripts: {} }
  // Leave out build steps before the tests, because they name the tested code rather than tests.
  const testing = [...scriptsOf(scripts, "test")].filter((name) => /test|spec|unit|e2e/.test(name))
  const targets = [...targetsOf(project.text("Makefile") ?? "", "test").values()]
  const named = testing.flatMap((name) => wordsOf(scripts[name] ?? ""))
  const shell = targets.flatMap(wordsOf).filter((word) => /\.(?:sh|bash|bats)$/.test(word))
  return [...named, ...shell].filter((word) => word !== "package.json" && project.has(word))
}

function wordsOf(command: string): string[] {
  return command.split(/[\s;&|"'()]+/).map((word) => word.replace(/^\.\//, ""))
}
