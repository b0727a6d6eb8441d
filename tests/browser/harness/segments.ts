import type { Page } from "playwright-core"

/** Clicks the label of a segmented control's option, once the label no longer moves. */
export async function chooseSegment(page: Page, name: string): Promise<void> {
  const option = page.getByRole("radio", { name, exact: true })
  await page.locator("label").filter({ has: option }).click()
}
