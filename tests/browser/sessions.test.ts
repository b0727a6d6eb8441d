import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { FILES } from "./harness/director.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("sessions", ({ visit }) => {
  let place: Place
  let oldest: string
  beforeAll(async () => {
    place = await openPlace()
    oldest = (await place.ask("POST", "/api/v1/sessions", { name: "Walnut orchard" })).id
    for (let n = 0; n < 54; n++) await place.ask("POST", "/api/v1/sessions", { name: `Garden ${n}` })
  })
  afterAll(() => place?.[Symbol.asyncDispose]())

  const railOf = (page: Page) => page.getByRole("navigation", { name: "Sessions" })
  const rowsOf = (page: Page) => railOf(page).locator('a[href^="/s/"]')
  const named = (page: Page, name: string) => railOf(page).getByRole("link", { name })
  const nameOf = async (id: string) => (await place.ask("GET", `/api/v1/sessions/${id}`)).name

  async function openMenu(page: Page, name: string) {
    await named(page, name).hover()
    await railOf(page)
      .getByRole("button", { name: `Actions for ${name}` })
      .click()
    return page.getByRole("menu", { name: `Actions for ${name}` })
  }

  async function openPalette(page: Page) {
    await page.keyboard.press("Control+k")
    const field = page.getByRole("combobox", { name: "Search everything" })
    await until(() => field.evaluate((input) => input === document.activeElement)).toBe(true)
  }

  it("are grouped by day, and shown to the last", async () => {
    await using visitor = await visit(`${place.url}/docs`)
    const { page } = visitor
    await until(() => rowsOf(page).count()).toBe(50)
    expect(await railOf(page).getByRole("region", { name: "Today" }).locator("a").count()).toBe(50)
    expect(await named(page, "Walnut orchard").count()).toBe(0)
    await railOf(page).getByRole("button", { name: "Show older sessions" }).click()
    await until(() => rowsOf(page).count()).toBe(55)
    expect(await railOf(page).getByRole("button", { name: "Show older sessions" }).count()).toBe(0)
  })

  it("are found by their name in the list and in the palette, loaded or not", async () => {
    await using visitor = await visit(`${place.url}/docs`)
    const { page } = visitor
    await until(() => rowsOf(page).count()).toBe(50)
    const field = railOf(page).getByRole("searchbox", { name: "Find a session" })
    // In a text field, J types a letter instead of moving the focus.
    await field.pressSequentially("orchard")
    await until(() => rowsOf(page).count()).toBe(1)
    await named(page, "Walnut orchard").waitFor()
    await field.fill("jungle")
    await railOf(page).getByText("No matching sessions.").waitFor()
    await page.keyboard.press("Escape")
    await until(() => rowsOf(page).count()).toBe(50)

    await openPalette(page)
    await page.keyboard.type("walnut")
    await page.getByRole("option", { name: "Walnut orchard" }).waitFor()
    await page.keyboard.press("Enter")
    await page.waitForURL(`**/s/${oldest}/run`)
    await page.getByRole("navigation", { name: "Breadcrumb" }).getByText("Walnut orchard").waitFor()
  })

  it("are renamed and pinned, in every place that shows them", async () => {
    await using visitor = await visit(`${place.url}/s/${oldest}/run`)
    const { page } = visitor
    await until(() => rowsOf(page).count()).toBe(50)
    await openPalette(page)
    await page.keyboard.type("rename")
    // The list doesn't include this older session, so the palette loads it separately.
    await page.getByRole("option", { name: "Rename this session" }).waitFor()
    await page.keyboard.press("Enter")
    const dialog = page.getByRole("dialog", { name: "Rename session" })
    await until(() => dialog.getByLabel("Name").inputValue()).toBe("Walnut orchard")
    await page.keyboard.type("Hazel wood")
    await page.keyboard.press("Enter")
    await page.getByRole("navigation", { name: "Breadcrumb" }).getByText("Hazel wood").waitFor()
    expect(await nameOf(oldest)).toBe("Hazel wood")

    await page.getByRole("button", { name: "Session actions" }).click()
    await page.getByRole("menuitem", { name: "Pin" }).click()
    const pinned = railOf(page).getByRole("region", { name: "Pinned" })
    await pinned.getByRole("link", { name: "Hazel wood" }).waitFor()
    await (await openMenu(page, "Hazel wood")).getByRole("menuitem", { name: "Unpin" }).click()
    await pinned.waitFor({ state: "detached" })

    // A row's keys are those of the file tree.
    await named(page, "Garden 53").focus()
    await page.keyboard.press("F2")
    await until(() => dialog.getByLabel("Name").inputValue()).toBe("Garden 53")
    await page.keyboard.type("Meadow")
    await page.keyboard.press("Enter")
    await named(page, "Meadow").waitFor()
  })

  it("are deleted once somebody has confirmed it, who is told what is active in them", async () => {
    place.director.build(FILES, undefined, "A slow list")
    const hold = place.director.hold("style.css")
    const id = await place.session()
    await place.run(id, "A list that takes its time.")
    await hold.reached
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const menu = await openMenu(page, "A slow list")
    await menu.getByRole("menuitem", { name: "Delete" }).click()
    const dialog = page.getByRole("dialog", { name: "Delete session?" })
    await dialog.getByText("The active run will be stopped.").waitFor()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    expect(await nameOf(id)).toBe("A slow list")

    await named(page, "A slow list").focus()
    await page.keyboard.press("Delete")
    await dialog.getByRole("button", { name: "Stop and delete" }).click()
    await page.waitForURL(`${place.url}/`)
    await page.getByText("Deleted “A slow list”.").waitFor()
    await until(() => named(page, "A slow list").count()).toBe(0)
    await expect(nameOf(id)).rejects.toThrow("404")
    hold.release()
  })

  it("give way in the palette to a file of exactly that name", async () => {
    place.director.build({ "script.js": "let a = 1\n", "README.md": "# Script\n" }, undefined, "TypeScript")
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    await page.getByText("No page to show").waitFor()
    await openPalette(page)
    // This session is already open, so the palette doesn't list it.
    expect(await page.getByRole("option", { name: "TypeScript" }).count()).toBe(0)
    await page.keyboard.type("script")
    await page.getByRole("option", { name: "script.js" }).waitFor()
    await until(() => page.locator("[cmdk-item][data-selected=true]").innerText()).toContain("script.js")
    await page.keyboard.press("Enter")
    await page.waitForURL(`**/s/${id}/run?show=code&file=script.js`)
  })

  it("are managed on a phone, too", async () => {
    await using visitor = await visit(`${place.url}/s/${oldest}/run`, { width: 390 })
    const { page } = visitor
    await page.getByRole("button", { name: "Session actions" }).click()
    await page.getByRole("menuitem", { name: "API key" }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "Sessions" }).click()
    const list = page.getByRole("dialog", { name: "Sessions" })
    await list.getByRole("searchbox").fill("hazel")
    await until(() => list.locator('a[href^="/s/"]').count()).toBe(1)
    await list.getByRole("button", { name: "Actions for Hazel wood" }).click()
    await page.getByRole("menuitem", { name: "Rename" }).click()
    const name = page.getByRole("dialog", { name: "Rename session" }).getByLabel("Name")
    await name.fill("Orchard by the sea")
    await page.keyboard.press("Enter")
    await list.getByText("No matching sessions.").waitFor()
    expect(await nameOf(oldest)).toBe("Orchard by the sea")
  })
})
