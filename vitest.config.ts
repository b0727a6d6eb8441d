import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    // By default one core is left free, which on a machine of two runs the files one after another.
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
  },
})
