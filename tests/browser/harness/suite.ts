import { type Browser, chromium } from "playwright-core"
import { afterAll, beforeAll, describe, inject } from "vitest"
import { stopAtFirstFailure } from "../../first-failure.ts"
import { needs } from "../../needs.ts"
import { WAIT_MS } from "../../settings.ts"
import { noChromium } from "./chromium.ts"
import { type Visit, type Visitor, visit } from "./visit.ts"

export interface Suite {
  /** Opens a page in a new profile. When it closes, any fault of the page fails the test. */
  visit(url: string, visitor?: Visitor): Promise<Visit>
}

/** Runs tests in the Chromium that all files share. The first failure stops the suite. */
export function inChromium(name: string, tests: (suite: Suite) => void): void {
  describe(name, needs(noChromium), () => {
    let browser: Browser
    stopAtFirstFailure()
    beforeAll(async () => {
      browser = await chromium.connect(inject("chromium"), { timeout: WAIT_MS })
    })
    afterAll(() => browser?.close())
    tests({ visit: (url, visitor) => visit(browser, url, visitor) })
  })
}
