import { afterAll, vi } from "vitest"

// Variables that the last test of a file stubs would come back in the first test of the next one, over what that file has set.
afterAll(() => {
  vi.unstubAllEnvs()
})
