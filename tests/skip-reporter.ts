import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node"
import "./needs.ts"

/** Lists what was skipped, and why, after everything else: the list of files says only how many. */
export function createSkipReporter(print: (text: string) => void): Reporter {
  let isFiltered = false
  return {
    onInit: ({ config }) => {
      isFiltered = config.testNamePattern !== undefined
    },
    onTestRunEnd(modules) {
      const skipped = Map.groupBy(skippedTests(modules), ({ reason }) => reason)
      // With -t, most tests are skipped because nobody asked for them.
      if (isFiltered) skipped.delete(undefined)
      if (skipped.size === 0) return
      print("\n Skipped on this machine:\n")
      for (const [reason, tests] of skipped) {
        const files = new Set(tests.map(({ file }) => file))
        const where = files.size === 1 ? [...files][0] : `${files.size} files`
        print(`   ${tests.length} in ${where}: ${reason ?? "no reason is given"}\n`)
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
