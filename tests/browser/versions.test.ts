import type { Page } from "playwright-core"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("the versions of a session", ({ visit }) => {
  let place: Place
  beforeEach(async () => {
    place = await openPlace()
  })
  afterEach(() => place[Symbol.asyncDispose]())

  const write = (id: string, path: string, content: string) =>
    place.ask("PUT", "/workspace/file", { workspace_id: id, path, content })
  const read = async (id: string) => (await place.ask("GET", `/workspace/files?workspace_id=${id}`)).files
  const versionOf = (page: Page, version: number) =>
    page.getByRole("group", { name: `Version ${version}`, exact: true }).last()
  const button = (page: Page, version: number, name: string) =>
    versionOf(page, version).getByRole("button", { name, exact: true })

  it("are opened, compared, restored, taken back and forked, and the fork outlives the original", async () => {
    const id = await place.session({ built: true })
    const built = await read(id)
    const { workspace_version: made } = await place.ask("GET", `/api/v1/sessions/${id}`)
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    await versionOf(page, made).getByText("Current").waitFor()
    await write(id, "README.md", "# Mine\n")
    await write(id, "notes.txt", "mine\n")
    const edited = await read(id)

    await button(page, made, "Open").click()
    await until(() => new URL(page.url()).searchParams.get("seq")).toMatch(/^\d+$/)
    await until(() => button(page, made, "Restore").isDisabled()).toBe(true)
    expect(await button(page, made, "Restore").getAttribute("title")).toContain("Go back to live")
    await page.keyboard.press("l")

    await until(() => button(page, made, "Restore").isEnabled()).toBe(true)
    await button(page, made, "Compare").press("Enter")
    const dialog = page.getByRole("dialog")
    await until(() => dialog.innerText()).toContain("2 files changed")
    await dialog.getByRole("button", { name: "README.md" }).click()
    await until(() => dialog.getByRole("region", { name: "Diff of README.md" }).innerText()).toContain("Mine")
    expect(await dialog.getByRole("button", { name: "Comment on line" }).count()).toBe(0)
    await page.keyboard.press("Escape")

    await button(page, made, "Restore").click()
    const row = page.locator(`[data-restored="${made + 3}"]`)
    await until(() => row.innerText()).toContain(`Restored version ${made} as version ${made + 3}.`)
    expect(await read(id)).toEqual(built)
    await row.getByRole("button", { name: "Undo" }).click()
    await until(() => page.locator("[data-restored]").last().innerText()).toContain(`Restored version ${made + 2}`)
    expect(await read(id)).toEqual(edited)

    await button(page, made, "Fork").click()
    await until(() => page.url()).not.toContain(id)
    const forkId = new URL(page.url()).pathname.split("/")[2] ?? ""
    await page.getByText("(copy)").first().waitFor()
    await place.ask("DELETE", `/api/v1/sessions/${id}`)
    expect(await read(forkId)).toEqual(built)
    await page.reload()
    await page.getByText("(copy)").first().waitFor()
  })

  it("of one file are its history in the editor, and unsaved edits are asked about first, on a phone too", async () => {
    const id = await place.session()
    await write(id, "a.txt", "one\n")
    await write(id, "b.txt", "other\n")
    await write(id, "a.txt", "two\n")
    await using visitor = await visit(`${place.url}/s/${id}/files/a.txt`, { width: 390 })
    const { page } = visitor
    await page.locator(".cm-content").click()
    await page.keyboard.type("mine ")
    await page.getByRole("button", { name: "History of a.txt" }).click()
    const dialog = page.getByRole("dialog")
    await until(() => dialog.getByRole("listitem").allInnerTexts()).toHaveLength(2)
    await dialog.getByRole("listitem").nth(1).getByRole("button", { name: "Restore" }).click()
    const question = page.getByRole("dialog", { name: "Restore version 1?" })
    await until(() => question.innerText()).toContain("unsaved edits in a.txt")
    await question.getByRole("button", { name: "Cancel" }).click()
    expect(await read(id)).toEqual({ "a.txt": "two\n", "b.txt": "other\n" })
    await dialog.getByRole("listitem").nth(1).getByRole("button", { name: "Restore" }).click()
    await question.getByRole("button", { name: "Restore" }).click()
    await until(() => read(id)).toEqual({ "a.txt": "one\n", "b.txt": "other\n" })
    await until(() => dialog.getByRole("listitem").first().innerText()).toContain("Restored a.txt from version 1")
  })
})
