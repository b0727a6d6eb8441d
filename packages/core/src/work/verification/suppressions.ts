import type { CheckName } from "../gate/schema.ts"
import type { ChangedFile } from "./changed-file.ts"

/** Comments and settings that hide findings of checks or exclude tests, for one type of file. */
interface Suppressions {
  files: RegExp
  marks: RegExp
  /** Checks that obey these suppressions. All other checks ignore them. */
  checks: readonly CheckName[]
}

const JAVASCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/
const TYPES: readonly CheckName[] = ["build", "lint"]
const LINT: readonly CheckName[] = ["lint"]
const ANY: readonly CheckName[] = ["build", "lint", "test"]

const SUPPRESSIONS: readonly Suppressions[] = [
  { files: JAVASCRIPT, checks: TYPES, marks: /@ts-(?:ignore|nocheck)\b|\$Flow(?:FixMe|Ignore)\b/g },
  {
    ...{ files: JAVASCRIPT, checks: LINT },
    marks:
      /\b(?:eslint|oxlint|tslint:|stylelint)-?disable(?:-next-line|-line)?\b|\bbiome-ignore(?:-all|-start)?\b|\bdeno-lint-ignore(?:-file)?\b/g,
  },
  {
    ...{ files: /\.pyi?$/, checks: LINT },
    marks:
      /#\s{0,20}(?:noqa|(?:flake8|ruff):\s?noqa|type:\s?ignore|mypy:\s?ignore-errors|pyright:\s?(?:ignore|basic)|pylint:\s?(?:disable|skip-file)|pyre-ignore|nosec)\b/gi,
  },
  { files: /\.go$/, checks: LINT, marks: /\/\/\s?(?:nolint\b|lint:(?:file-)?ignore\b|#nosec\b)/g },
  { files: /\.go$/, checks: ANY, marks: /^\/\/go:build ignore\b/gm },
  {
    ...{ files: /\.rs$/, checks: LINT },
    marks: /#!?\[(?:allow|expect)\(|#!?\[cfg_attr\([^)\n]{0,100},\s{0,20}(?:allow|expect)\(/g,
  },
  { files: /\.(?:rb|rake)$/, checks: LINT, marks: /#\s?rubocop:(?:disable|todo)\b|#\s?standard:disable\b/g },
  {
    ...{ files: /\.(?:java|kts?|scala|groovy)$/, checks: LINT },
    marks: /@(?:file:)?Suppress(?:Warnings|FBWarnings|Lint)?\b|\bNOSONAR\b|\bCHECKSTYLE:OFF\b|\bktlint-disable\b/g,
  },
  {
    ...{ files: /\.cs$/, checks: LINT },
    marks: /#pragma\s{1,20}warning\s{1,20}disable\b|\[(?:assembly:\s?)?SuppressMessage\b|#nullable\s{1,20}disable\b/g,
  },
  { files: /\.php$/, checks: LINT, marks: /@phpstan-ignore\b|@psalm-suppress\b|\bphpcs:(?:ignore|disable)/g },
  { files: /\.swift$/, checks: LINT, marks: /\bswiftlint:disable\b/g },
  { files: /\.exs?$/, checks: LINT, marks: /\bcredo:disable\b|@dialyzer\b/g },
  { files: /\.(?:ba)?sh$/, checks: LINT, marks: /#\s?shellcheck disable=/g },
  { files: /\.(?:css|scss|less)$/, checks: LINT, marks: /\bstylelint-disable\b/g },
  {
    ...{ files: /(?:^|\/)Cargo\.toml$/, checks: LINT },
    marks: /=\s{0,20}(?:"allow"|\{[^}\n]{0,100}level\s{0,20}=\s{0,20}"allow")/g,
  },
  {
    ...{ files: /(?:^|\/)Cargo\.toml$/, checks: ANY },
    marks: /^[ \t]{0,20}(?:test|autotests|doctest|harness)\s{0,20}=\s{0,20}false\b/gm,
  },
  {
    ...{ files: /(?:^|\/)(?:pom\.xml|gradle\.properties)$/, checks: ANY },
    marks:
      /(?:skipTests|maven\.test\.skip|testFailureIgnore|failIfNoTests|skipITs)(?:>|\s{0,20}=)\s{0,20}(?:true|false)/g,
  },
  {
    ...{ files: /\.gradle(?:\.kts)?$/, checks: ANY },
    marks:
      /\bignoreFailures\b.{0,20}\btrue\b|\benabled\s{0,20}=\s{0,20}false\b|\bexclude\w{0,20}\s{0,20}\(?\s{0,20}["']|\bfailOnNoDiscoveredTests\b/g,
  },
  { files: /(?:^|\/)deno\.jsonc?$/, checks: ANY, marks: /"exclude"\s{0,20}:/g },
]

/** In a test, `@ts-expect-error` asserts that the compiler reports an error. Elsewhere, it hides an error. */
const EXPECTED: Suppressions = { files: JAVASCRIPT, checks: TYPES, marks: /@ts-expect-error\b/g }

/** Returns true if a file may contain suppressions. */
export function mayHideFindings(path: string): boolean {
  return SUPPRESSIONS.some(({ files }) => files.test(path))
}

/**
 * Returns a sentence for each file that hides more from the project's checks than before. Suppressions that existed
 * before are the project's own choice, and may move between the changed files.
 */
export function addedSuppressions(
  changed: readonly ChangedFile[],
  { isTest, checks }: { isTest(path: string): boolean; checks: readonly CheckName[] },
): string[] {
  const rows = [...SUPPRESSIONS, EXPECTED].filter((row) => row.checks.some((check) => checks.includes(check)))
  return rows.flatMap((row) => {
    const { files, marks } = row
    const found = changed
      .filter(({ path }) => files.test(path) && (row !== EXPECTED || !isTest(path)))
      .map(({ path, before, after }) => ({ path, more: marksIn(after, marks), fewer: marksIn(before, marks) }))
    const sum = found.reduce((all, { more, fewer }) => all + more.length - fewer.length, 0)
    if (sum <= 0) return []
    return found
      .filter(({ more, fewer }) => more.length > fewer.length)
      .map(({ path, more, fewer }) => {
        const mark = more.find((one) => !fewer.includes(one)) ?? more[0] ?? ""
        return `${path} hides more from the checks than before: \`${mark.trim()}\`. Fix what the checks find there instead.`
      })
  })
}

function marksIn(text: string | null, marks: RegExp): string[] {
  return text?.match(marks) ?? []
}
