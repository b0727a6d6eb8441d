import type { Browser, BrowserContext, Page } from "playwright-core"
import { expect } from "vitest"
import { WAIT_MS } from "../../settings.ts"

export interface Visit extends AsyncDisposable {
  page: Page
  context: BrowserContext
  /** Faults that the browser reports: errors, violations of the content security policy, missing files. */
  faults: string[]
}

export interface Visitor {
  width?: number
  height?: number
  theme?: "light" | "dark"
  /** Context of another visit, to open a second tab in the same profile. */
  context?: BrowserContext
  touch?: boolean
}

/** Opens a page in a new profile. Faults that the browser reports fail the test when the page closes. */
export async function visit(browser: Browser, url: string, visitor: Visitor = {}): Promise<Visit> {
  const { width = 1440, height = width < 768 ? 844 : 900, theme = "light", touch = width < 768 } = visitor
  const context =
    visitor.context ??
    (await browser.newContext({
      baseURL: new URL(url).origin,
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: "reduce",
      hasTouch: touch,
      locale: "en-GB",
      timezoneId: "UTC",
    }))
  context.setDefaultTimeout(WAIT_MS)
  const page = await context.newPage()
  const faults: string[] = []
  page.on("pageerror", (error) => void faults.push(`pageerror: ${error.stack ?? error.message}`))
  page.on("console", (message) => {
    // The browser reports a cut connection or a refusal in the console, but the page shows both in its own words.
    const isOfNetwork = /^(Failed to load resource|WebSocket connection to )/.test(message.text())
    if (message.type() !== "error" || isOfNetwork) return
    faults.push(`console: ${message.text()}`)
  })
  page.on("response", (response) => {
    if (response.request().method() !== "GET") return
    const { pathname } = new URL(response.url())
    if (response.status() >= 400 && /^\/(assets\/|[^/]*$)/.test(pathname)) {
      faults.push(`${response.status()} for ${pathname}`)
    }
  })
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sample }) =>
      console.error(`policy: ${effectiveDirective} ${blockedURI} ${sample}`),
    )
  })
  await page.goto(url)
  return {
    page,
    context,
    faults,
    async [Symbol.asyncDispose]() {
      if (visitor.context) await page.close()
      else await context.close()
      expect(faults).toEqual([])
    },
  }
}
