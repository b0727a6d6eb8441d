import { writeFileSync } from "node:fs"
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node"
import "./needs.ts"

/**
 * Lists the skipped tests and their reasons at the end of the run, because Vitest prints only their number. Writes them
 * to `listFile` as Vitest filters, so that another machine can run them. The filters name whole files unless
 * `includeTaskLocation` is set.
 */
export function createSkipReporter(print: (text: string) => void, listFile?: string): Reporter {
  let isFiltered = false
  return {
    onInit: ({ config }) => {
      isFiltered = config.testNamePattern !== undefined
    },
    onTestRunStart: (specifications) => {
      isFiltered ||= specifications.some(({ testLines }) => testLines !== undefined)
    },
    onTestRunEnd(modules) {
      const tests = skippedTests(modules)
      if (listFile) writeFileSync(listFile, [...new Set(tests.map(({ filter }) => filter))].join("\n"))
      const skipped = Map.groupBy(tests, ({ reason }) => reason)
      // A name filter skips most tests without a reason.
      if (isFiltered) skipped.delete(undefined)
      if (skipped.size === 0) return
      print("\n Skipped on this machine:\n")
      for (const [reason, those] of skipped) {
        const files = new Set(those.map(({ file }) => file))
        const where = files.size === 1 ? [...files][0] : `${files.size} files`
        print(`   ${those.length} in ${where}: ${reason ?? "no reason is given"}\n`)
      }
    },
  }
}

interface Skipped {
  file: string
  /** File and line. All cases of a table share a line. */
  filter: string
  reason: string | undefined
}

function skippedTests(modules: readonly TestModule[]): Skipped[] {
  return modules.flatMap(({ relativeModuleId: file, children }) =>
    [...children.allTests("skipped")].map((test) => ({
      file,
      filter: test.location ? `${file}:${test.location.line}` : file,
      reason: reasonOf(test),
    })),
  )
}

/** Returns the test's own reason or the reason of its closest suite. */
function reasonOf(test: TestCase): string | undefined {
  const result = test.result()
  if (result.state === "skipped" && result.note) return result.note
  for (let task: TestCase | TestSuite | TestModule = test; task.type !== "module"; task = task.parent) {
    const { skippedBecause } = task.meta()
    if (skippedBecause) return skippedBecause
  }
  return undefined
}
