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

/**
 * Performs an input, and waits for its effect, whose layout shifts aren't counted. The browser only attributes shifts to
 * an input for 500 ms, but the effect takes longer on a busy machine.
 */
export async function withoutShiftsOf(page: Page, input: () => Promise<void>): Promise<void> {
  const before = await layoutShift(page)
  await input()
  await page.evaluate(async (shift) => {
    // The observer hears of a shift after the frame that shows it.
    for (let frames = 0; frames < 2; frames++) await new Promise((resolve) => requestAnimationFrame(resolve))
    await new Promise((resolve) => setTimeout(resolve))
    Object.assign(globalThis, { layoutShift: shift })
  }, before)
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
