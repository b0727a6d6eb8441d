import type { Page } from "playwright-core"

/** Waits until the timeline is at an event. */
export async function at(page: Page, seq: number): Promise<void> {
  await page.waitForFunction(
    (wanted) => document.querySelector<HTMLInputElement>('input[aria-label="Moment"]')?.value === wanted,
    String(seq),
    { timeout: 120_000 },
  )
}
