/** A file before and after a change; null where it is missing, or no text. */
interface FileChange {
  path: string
  before: string | null
  after: string | null
}

/** Marks by which files of a kind hide findings from a check, or take tests out of it. */
interface Suppressions {
  files: RegExp
  marks: RegExp
}

const JAVASCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/

const SUPPRESSIONS: Suppressions[] = [
  {
    files: JAVASCRIPT,
    marks:
      /@ts-(?:ignore|nocheck)\b|\b(?:eslint|oxlint|tslint:|stylelint)-?disable(?:-next-line|-line)?\b|\bbiome-ignore(?:-all|-start)?\b|\bdeno-lint-ignore(?:-file)?\b|\b(?:istanbul|c8|v8) ignore\b|\$Flow(?:FixMe|Ignore)\b/g,
  },
  {
    files: /\.pyi?$/,
    marks:
      /#\s{0,20}(?:noqa|(?:flake8|ruff):\s?noqa|type:\s?ignore|mypy:\s?ignore-errors|pyright:\s?(?:ignore|basic)|pylint:\s?(?:disable|skip-file)|pyre-ignore|pragma:\s?no\s?cover|nosec)\b/gi,
  },
  { files: /\.go$/, marks: /\/\/\s?(?:nolint\b|lint:(?:file-)?ignore\b|#nosec\b)|^\/\/go:build ignore\b/gm },
  { files: /\.rs$/, marks: /#!?\[(?:allow|expect)\(|#!?\[cfg_attr\([^)\n]{0,100},\s{0,20}(?:allow|expect)\(/g },
  { files: /\.(?:rb|rake)$/, marks: /#\s?rubocop:(?:disable|todo)\b|#\s?:nocov:|#\s?standard:disable\b/g },
  {
    files: /\.(?:java|kts?|scala|groovy)$/,
    marks: /@(?:file:)?Suppress(?:Warnings|FBWarnings|Lint)?\b|\bNOSONAR\b|\bCHECKSTYLE:OFF\b|\bktlint-disable\b/g,
  },
  {
    files: /\.cs$/,
    marks: /#pragma\s{1,20}warning\s{1,20}disable\b|\[(?:assembly:\s?)?SuppressMessage\b|#nullable\s{1,20}disable\b/g,
  },
  {
    files: /\.php$/,
    marks: /@phpstan-ignore\b|@psalm-suppress\b|\bphpcs:(?:ignore|disable)|@codeCoverageIgnore\b/g,
  },
  { files: /\.swift$/, marks: /\bswiftlint:disable\b/g },
  { files: /\.exs?$/, marks: /\bcredo:disable\b|@dialyzer\b/g },
  { files: /\.(?:ba)?sh$/, marks: /#\s?shellcheck disable=/g },
  { files: /\.(?:css|scss|less)$/, marks: /\bstylelint-disable\b/g },
  {
    files: /(?:^|\/)Cargo\.toml$/,
    marks:
      /^[ \t]{0,20}(?:test|autotests|doctest|harness)\s{0,20}=\s{0,20}false\b|=\s{0,20}(?:"allow"|\{[^}\n]{0,100}level\s{0,20}=\s{0,20}"allow")/gm,
  },
  {
    files: /(?:^|\/)(?:pom\.xml|gradle\.properties)$/,
    marks:
      /(?:skipTests|maven\.test\.skip|testFailureIgnore|failIfNoTests|skipITs)(?:>|\s{0,20}=)\s{0,20}(?:true|false)/g,
  },
  {
    files: /\.gradle(?:\.kts)?$/,
    marks:
      /\bignoreFailures\b.{0,20}\btrue\b|\benabled\s{0,20}=\s{0,20}false\b|\bexclude\w{0,20}\s{0,20}\(?\s{0,20}["']|\bfailOnNoDiscoveredTests\b/g,
  },
  { files: /(?:^|\/)deno\.jsonc?$/, marks: /"exclude"\s{0,20}:/g },
]

/** In a test, this one asserts that a compiler finds a fault. Elsewhere, it hides the fault. */
const EXPECTED = { files: JAVASCRIPT, marks: /@ts-expect-error\b/g }

/** Whether marks in a file may hide findings from a check. */
export function mayHideFindings(path: string): boolean {
  return SUPPRESSIONS.some(({ files }) => files.test(path))
}

/**
 * Returns the files that hide more from the project's checks than before, each as a sentence. Marks that were there before are the
 * project's own choice, and may move between the changed files.
 */
export function addedSuppressions(changed: readonly FileChange[], isTest: (path: string) => boolean): string[] {
  return [...SUPPRESSIONS, EXPECTED].flatMap(({ files, marks }) => {
    const isHiding = (path: string) => files.test(path) && (marks !== EXPECTED.marks || !isTest(path))
    const found = changed
      .filter(({ path }) => isHiding(path))
      .map(({ path, before, after }) => ({ path, more: marksIn(after, marks), fewer: marksIn(before, marks) }))
    const sum = found.reduce((all, { more, fewer }) => all + more.length - fewer.length, 0)
    if (sum <= 0) return []
    return found
      .filter(({ more, fewer }) => more.length > fewer.length)
      .map(({ path, more, fewer }) => {
        const mark = more.find((one) => !fewer.includes(one)) ?? more[0] ?? ""
        return `${path} hides more from the checks than before: \`${mark.trim()}\`. Mend what they find there.`
      })
  })
}

function marksIn(text: string | null, marks: RegExp): string[] {
  return text?.match(marks) ?? []
}
