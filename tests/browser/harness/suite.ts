import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe } from "vitest"
import { stopAtFirstFailure } from "../../first-failure.ts"
import { needs } from "../../needs.ts"
import { launchChromium, noChromium } from "./chromium.ts"
import { type Visit, type Visitor, visit } from "./visit.ts"

const GIVEN = process.env.STUDIO_FOLDER
/** The studio that is tested: the one that is made of what is here, unless another is given. */
export const STUDIO_FOLDER = GIVEN ?? fileURLToPath(new URL("../../../packages/web/dist", import.meta.url))
const BUILD = fileURLToPath(new URL("../../../tools/build-studio.mjs", import.meta.url))

export interface Suite {
  /** A page of a new browser, which must end without a fault. */
  visit(url: string, visitor?: Visitor): Promise<Visit>
}

/** Tests in one Chromium, with the studio as it is now. The first that fails ends them. */
export function inChromium(name: string, tests: (suite: Suite) => void): void {
  describe(name, needs(noChromium), () => {
    let browser: Browser
    stopAtFirstFailure()
    beforeAll(async () => {
      buildStudio()
      browser = await launchChromium()
    })
    afterAll(() => browser?.close())
    tests({ visit: (url, visitor) => visit(browser, url, visitor) })
  })
}

export function buildStudio(): void {
  if (GIVEN) return
  const { status, stderr } = spawnSync(process.execPath, [BUILD], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
}
