import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { COMPILED, LIMIT_MS, WAIT_MS } from "./tests/settings.ts"
import { createSkipReporter } from "./tests/skip-reporter.ts"

const BROWSER = ["tests/browser/**/*.test.ts"]
const ALL = ["tests/**/*.test.ts"]

/** In a process of their own: what changes or measures its own, and what starts many others. */
const ALONE = [
  "tests/{faults,hostile,runner}/**/*.test.ts",
  "tests/functions/aws/*.test.ts",
  "tests/functions/http/body.test.ts",
  "tests/architecture/parsers.test.ts",
]

/** What takes minutes for one promise: only the deep run has the time. */
const DEEP = ["tests/**/*.deep.test.ts"]

export default defineConfig(({ mode }) => {
  const tooDeep = mode === "deep" ? [] : DEEP
  return {
    test: {
      // One more than there are cores: many a file waits for processes that it started.
      maxWorkers: availableParallelism() + 1,
      setupFiles: ["tests/skip-missing.ts"],
      testTimeout: mode === "deep" ? 12 * LIMIT_MS : LIMIT_MS,
      hookTimeout: LIMIT_MS,
      teardownTimeout: LIMIT_MS,
      expect: { poll: { timeout: WAIT_MS } },
      reporters: ["default", createSkipReporter((text) => process.stdout.write(text), process.env.SKIPPED_TESTS)],
      ...(process.env.SKIPPED_TESTS && { includeTaskLocation: true }),
      // Some programs name times of their machine, and what they print is compared with what it means.
      env: { TEST_DEPTH: mode, NODE_COMPILE_CACHE: COMPILED, TZ: "UTC" },
      restoreMocks: true,
      projects: [
        // Each worker loads the product once for all of these, which takes longer than most of them.
        {
          extends: true,
          test: {
            name: "together",
            setupFiles: ["tests/same-cases.ts", "tests/undo-stubs.ts"],
            include: ALL,
            exclude: [...ALONE, ...BROWSER, ...tooDeep],
            isolate: false,
            unstubEnvs: true,
          },
        },
        { extends: true, test: { name: "alone", include: ALONE, exclude: tooDeep } },
        {
          extends: true,
          test: { name: "browser", include: BROWSER, exclude: tooDeep, globalSetup: "tests/browser/harness/setup.ts" },
        },
      ],
    },
  }
})
