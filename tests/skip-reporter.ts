import { writeFileSync } from "node:fs"
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node"
import "./needs.ts"

/**
 * Lists the skipped tests and the reasons after everything else, because Vitest's own list says only how many there are.
 * Writes the tests into `listFile` as Vitest's filters, so that another machine can run them. Their lines are known only
 * with `includeTaskLocation`; without it, the filters name whole files.
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
      // With a filter, most tests are skipped because nobody asked for them.
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
  /** File and line, which is the same for all cases of a table. */
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

/** Its own, or that of the closest suite around it which has one. */
function reasonOf(test: TestCase): string | undefined {
  const result = test.result()
  if (result.state === "skipped" && result.note) return result.note
  for (let task: TestCase | TestSuite | TestModule = test; task.type !== "module"; task = task.parent) {
    const { skippedBecause } = task.meta()
    if (skippedBecause) return skippedBecause
  }
  return undefined
}
