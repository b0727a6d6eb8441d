import { defineConfig } from "vitest/config"
import { COMPILED, LIMIT_MS, WAIT_MS } from "./tests/settings.ts"
import { createSkipReporter } from "./tests/skip-reporter.ts"

export default defineConfig(({ mode }) => ({
  test: {
    include: ["tests/**/*.test.ts"],
    // By default one core is left free, which on a machine of two runs the files one after another.
    maxWorkers: "100%",
    testTimeout: mode === "deep" ? 12 * LIMIT_MS : LIMIT_MS,
    hookTimeout: LIMIT_MS,
    teardownTimeout: LIMIT_MS,
    expect: { poll: { timeout: WAIT_MS } },
    reporters: ["default", createSkipReporter((text) => process.stdout.write(text), process.env.SKIPPED_FILES)],
    env: { TEST_DEPTH: mode, NODE_COMPILE_CACHE: COMPILED },
    restoreMocks: true,
  },
}))
