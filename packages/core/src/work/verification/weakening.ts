import type { ChangedFile } from "./changed-file.ts"
import { type TestCase, testCasesIn } from "./test-cases.ts"

/**
 * Finds changes that make tests more lenient: fewer or looser assertions, removed tests, ways to bypass assertions, and
 * mocks of the tested code. Renaming tests, or moving them between files, is allowed. Returns a sentence for each
 * finding.
 */
export function findWeakening(files: readonly ChangedFile[]): string[] {
  const before = files.flatMap(({ path, before }) => casesOf(path, before))
  const after = files.flatMap(({ path, after }) => casesOf(path, after))
  const known = new Set(before.map(({ name }) => name))
  const renamed = after.filter(({ name }) => !known.has(name))
  const names = [...new Set(before.map(({ name }) => name))].filter((name) => name !== "")
  const issues = names.flatMap((name) => issueOf(name, before, after, renamed))
  const outside = files.flatMap(({ path, before, after }) => {
    const [was, is] = [outsideOf(path, before), outsideOf(path, after)]
    return before !== null && after !== null && is < was ? [`${path} ${LESS}`] : []
  })
  const mocked = files.filter(({ before, after }) => before !== null && mocksIn(after) > mocksIn(before))
  return [...issues, ...outside, ...mocked.map(({ path }) => `${path} ${MOCKS}`)]
}

const IS_GONE = " is gone. Keep it."

/** Returns true if the issue is the removal of a test. */
export function isRemoval(issue: string): boolean {
  return issue.endsWith(IS_GONE)
}

const LESS = "asserts less than before. Keep each assertion, as strict as it was."
const MOCKS = "now mocks one of the project's modules. Test the real module."

type Located = TestCase & { path: string }

function casesOf(path: string, text: string | null): Located[] {
  return text === null ? [] : testCasesIn(path, text).map((one) => ({ ...one, path }))
}

/** Finds an issue with the tests that have this name. */
function issueOf(name: string, before: Located[], after: Located[], renamed: Located[]): string[] {
  const [were, are] = [before, after].map((all) => all.filter((one) => one.name === name))
  const { path } = were?.[0] ?? { path: "" }
  const about = `The test ${JSON.stringify(name)} in ${path}`
  if (!were || !are || are.length === 0) {
    const isKept = were?.every((test) => renamed.some((other) => hasAll(other, test)))
    return isKept ? [] : [about + IS_GONE]
  }
  if (are.length < were.length) return [`${about} occurs fewer times than before. Keep all of them.`]
  if (sum(are, "strength") < sum(were, "strength")) return [`${about} ${LESS}`]
  if (sum(are, "escapes") > sum(were, "escapes")) {
    return [`${about} can return before its assertions, or swallows an error. Let it run to completion.`]
  }
  return []
}

/** Returns true if another test contains all assertions of this test and has no more ways to bypass them. */
function hasAll(other: TestCase, test: TestCase): boolean {
  return other.escapes <= test.escapes && test.assertions.every((text) => other.assertions.includes(text))
}

function sum(tests: TestCase[], of: "strength" | "escapes"): number {
  return tests.reduce((all, test) => all + test[of], 0)
}

function outsideOf(path: string, text: string | null): number {
  return sum(
    casesOf(path, text).filter(({ name }) => name === ""),
    "strength",
  )
}

const MOCK =
  /\b(?:vi|jest)\.(?:mock|doMock|unstable_mockModule)\(\s*["'`](?:\.|@\/|~\/|#)|\bmock\.module\(\s*["'`](?:\.|file:|#)|\bproxyquire\(|\btd\.replace(?:Esm)?\(\s*["'`]\./g

function mocksIn(text: string | null): number {
  return text?.match(MOCK)?.length ?? 0
}
