import type { BrowserContext, Page } from "playwright-core"

/** Observes the layout shifts of every page that the context opens from now on. */
export async function observeLayoutShifts(context: BrowserContext): Promise<void> {
  await context.addInitScript(observe)
}

/** Returns the sum of a page's layout shifts that no input explains, as defined in https://web.dev/articles/cls. */
export function layoutShift(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { layoutShift } = globalThis as { layoutShift?: number }
    if (layoutShift === undefined) throw new Error("The layout shifts of this page weren't observed.")
    return layoutShift
  })
}

/** Runs in the page. */
function observe(): void {
  const found = globalThis as { layoutShift?: number }
  found.layoutShift = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
      if (!entry.hadRecentInput) found.layoutShift = (found.layoutShift ?? 0) + entry.value
  }).observe({ type: "layout-shift", buffered: true })
}
