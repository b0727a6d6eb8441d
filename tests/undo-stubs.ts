import { afterAll, vi } from "vitest"

// `unstubEnvs` restores the variables of a file's last test only before the next test. Without this hook, that would
// overwrite variables that the next file has set in the same worker.
afterAll(() => {
  vi.unstubAllEnvs()
})
