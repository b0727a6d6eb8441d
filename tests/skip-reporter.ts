import { writeFileSync } from "node:fs"
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node"
import "./needs.ts"

/**
 * Lists what was skipped, and why, after everything else: the list of files says only how many. Writes the names of the files
 * concerned into `listFile`, so that another machine can try them.
 */
export function createSkipReporter(print: (text: string) => void, listFile?: string): Reporter {
  let isFiltered = false
  return {
    onInit: ({ config }) => {
      isFiltered = config.testNamePattern !== undefined
    },
    onTestRunEnd(modules) {
      const tests = skippedTests(modules)
      if (listFile) writeFileSync(listFile, [...new Set(tests.map(({ file }) => file))].join("\n"))
      const skipped = Map.groupBy(tests, ({ reason }) => reason)
      // With -t, most tests are skipped because nobody asked for them.
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
  reason: string | undefined
}

function skippedTests(modules: readonly TestModule[]): Skipped[] {
  return modules.flatMap((module) =>
    [...module.children.allTests("skipped")].map((test) => ({ file: module.relativeModuleId, reason: reasonOf(test) })),
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
