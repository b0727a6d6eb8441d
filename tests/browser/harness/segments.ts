import type { Page } from "playwright-core"

/** Chooses one of a few options as a person does: by its label, once that stands still. */
export async function chooseSegment(page: Page, name: string): Promise<void> {
  const option = page.getByRole("radio", { name, exact: true })
  await page.locator("label").filter({ has: option }).click()
}
