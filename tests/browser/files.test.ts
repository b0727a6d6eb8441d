import { mkdir, mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Page } from "playwright-core"
import { afterEach, beforeEach, expect, it } from "vitest"
import { zipOf } from "../cli/zip.ts"
import { removeFolder } from "../remove-folder.ts"
import { FILES } from "./harness/director.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("files and prompts in the studio", ({ visit }) => {
  let place: Place
  beforeEach(async () => {
    place = await openPlace()
  })
  afterEach(() => place[Symbol.asyncDispose]())

  const textOf = async (id: string, path: string) =>
    (await place.ask("GET", `/workspace/file?workspace_id=${id}&path=${encodeURIComponent(path)}`)).content

  it("open by their address, whatever signs their names are made of", async () => {
    const id = await place.session({ built: true })
    for (const path of ["%41.txt", "100%25 a#b?.txt", "مرحبا 😀.txt"]) {
      await place.ask("PUT", "/workspace/file", { workspace_id: id, path, content: `This is ${path}\n` })
      await using visitor = await visit(`${place.url}/s/${id}/files/${encodeURIComponent(path)}`)
      await visitor.page.locator(".cm-content").getByText(`This is ${path}`).waitFor()
    }
  })

  it("lets a file be read, changed and saved while the run goes on", async () => {
    const hold = place.director.hold("README.md")
    const id = await place.session()
    await place.run(id)
    await hold.reached
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.reach({ coder: "active" })
    await screen.show("Code")
    await screen.file("src/list.ts").first().click()
    await until(() => editor(page).innerText()).toContain("export function add")

    await editor(page).click()
    await page.keyboard.press("Control+Home")
    await page.keyboard.type("// mine\n")
    await page.getByText("Not saved", { exact: true }).waitFor()
    await page.keyboard.press("Control+s")
    await page.locator("#agent-editor").getByText("Saved", { exact: true }).waitFor()
    expect(await textOf(id, "src/list.ts")).toBe(`// mine\n${FILES["src/list.ts"]}`)

    hold.release()
    await screen.finished()
    expect(await textOf(id, "src/list.ts")).toBe(`// mine\n${FILES["src/list.ts"]}`)
    await until(() => editor(page).innerText()).toContain("// mine")
  })

  it("marks in the tree what isn't saved, and indents with Tab, which Escape gives back", async () => {
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/files/style.css`)
    const { page } = visitor
    const { file } = onRunScreen(page)
    await until(() => editor(page).innerText()).toContain("padding")
    await editor(page).click()
    await page.keyboard.press("Control+Home")
    await page.keyboard.press("Tab")
    await page.getByText("Not saved", { exact: true }).waitFor()
    expect(await editor(page).innerText()).toMatch(/^ {2}ul/)
    await file("README.md").click()
    await until(() => editor(page).innerText()).toContain("A list of things")
    await until(() => file("style.css").innerText()).toContain("unsaved")
    await file("style.css").click()
    await until(() => editor(page).innerText()).toMatch(/^ {2}ul/)
    await page.keyboard.press("Control+s")
    await editor(page).click()
    await page.keyboard.press("Control+s")
    await until(() => file("style.css").innerText()).not.toContain("unsaved")
    expect(await textOf(id, "style.css")).toMatch(/^ {2}ul/)
    await editor(page).focus()
    await page.keyboard.press("Escape")
    await page.keyboard.press("Tab")
    await until(() => editor(page).evaluate((one) => one.contains(document.activeElement))).toBe(false)
  })

  it("shows both texts when somebody else was quicker, and saves over what was seen, twice in a row", async () => {
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/files/style.css`)
    const { page } = visitor
    await until(() => editor(page).innerText()).toContain("padding")
    // The other client saves while the page's own request is pending, so the page can't know of it.
    const quicker = { path: "style.css", content: "/* theirs */\n", workspace_id: id }
    await page.route(
      "**/workspace/file",
      async (route) => {
        await place.ask("PUT", "/workspace/file", quicker)
        await route.continue()
      },
      { times: 1 },
    )
    await editor(page).click()
    await page.keyboard.press("Control+Home")
    await page.keyboard.type("/* mine */")
    await page.keyboard.press("Control+s")
    await page.locator("#agent-editor").getByRole("button", { name: "Compare" }).click()
    const compared = page.getByRole("dialog").getByRole("textbox")
    await until(() => compared.innerText()).toContain("/* theirs */")
    expect(await compared.innerText()).toContain("/* mine */")
    expect(await textOf(id, "style.css")).toBe("/* theirs */\n")

    await page.getByRole("dialog").getByRole("button", { name: "Keep mine" }).click()
    for (const more of ["", "/* more */"]) {
      await editor(page).press("Control+Home")
      await page.keyboard.type(more)
      await page.keyboard.press("Control+s")
      await page.locator("#agent-editor").getByText("Saved", { exact: true }).waitFor()
      expect(await textOf(id, "style.css")).toBe(`${more}/* mine */${FILES["style.css"]}`)
    }
  })

  it("keeps what isn't saved through a reload", async () => {
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/files/style.css`)
    const { page } = visitor
    await until(() => editor(page).innerText()).toContain("padding")
    await editor(page).click()
    await page.keyboard.type("/* draft */")
    await page.getByText("Not saved", { exact: true }).waitFor()
    await page.reload()
    await until(() => editor(page).innerText()).toContain("/* draft */")
    expect(await textOf(id, "style.css")).toBe(FILES["style.css"])
  })

  it("finds a word in a file, though search isn't loaded before somebody wants it", async () => {
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/files/style.css`)
    const { page } = visitor
    await until(() => editor(page).innerText()).toContain("padding")
    expect(await page.locator(".cm-search").count()).toBe(0)
    await editor(page).click()
    await page.keyboard.press("Control+f")
    const panel = page.locator(".cm-search")
    await panel.getByLabel("Find").pressSequentially("D")
    await until(() => panel.getByRole("status").innerText()).toBe("2 results")
    await panel.getByRole("button", { name: "Match case" }).click()
    await until(() => panel.getByRole("status").innerText()).toBe("No results")
    await panel.getByRole("button", { name: "Match case" }).click()
    await panel.getByLabel("Find").fill("padding")
    await until(() => page.locator(".cm-searchMatch").count()).toBeGreaterThan(0)
    await page.keyboard.press("Enter")
    await until(() => panel.getByRole("status").innerText()).toBe("1 of 1")
    await page.keyboard.press("Escape")
    await until(() => page.locator(".cm-search").count()).toBe(0)
    expect(await textOf(id, "style.css")).toBe(FILES["style.css"])
  })

  it("tells what a run would be told, refuses to change the locked part, and sends the rest along", async () => {
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/prompts/coder`)
    const { page } = visitor
    const locked = page.getByRole("textbox", { name: "Fixed section" })
    const mine = page.getByRole("textbox", { name: /^Editable section/ })
    await mine.waitFor()
    const before = await locked.inputValue()
    await locked.focus()
    await page.keyboard.type("no")
    expect(await locked.inputValue()).toBe(before)

    await mine.fill("Write everything in capitals.")
    await page.getByRole("tab", { name: /Coder/ }).getByText("overridden").waitFor()
    await page.getByRole("link", { name: "Build", exact: true }).first().click()
    const screen = onRunScreen(page)
    await screen.ask("A list.")
    await screen.finished()
    const coder = place.director.requests.find(({ tools }) => tools?.length)
    const planner = place.director.requests.find(({ output }) => output?.name === "plan")
    expect(coder?.system).toContain("Write everything in capitals.")
    expect(planner?.system).not.toContain("Write everything in capitals.")
  })

  it("cuts a prompt at its limit", async () => {
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/prompts/planner`)
    const mine = visitor.page.getByRole("textbox", { name: /^Editable section/ })
    await mine.fill("x".repeat(4100))
    await until(async () => (await mine.inputValue()).length).toBe(4000)
    expect(
      await visitor.page
        .getByText(/4,?000/)
        .first()
        .isVisible(),
    ).toBe(true)
  })

  it("takes files, a folder and a zip into a session, and says before what they replace", async () => {
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/files/style.css`)
    const { page } = visitor
    const screen = onRunScreen(page)
    const dialog = page.getByRole("dialog")
    const upload = () => dialog.getByRole("button", { name: "Upload" }).click()

    await page.getByRole("button", { name: "Upload" }).click()
    const chooser = page.waitForEvent("filechooser")
    await page.getByRole("menuitem", { name: "Files…" }).click()
    await (await chooser).setFiles([fileOf("style.css", "a{}"), fileOf("logo.bin", Buffer.from([0, 255, 1]))])
    await dialog.getByText("1 existing file will be replaced.").waitFor()
    expect(await textOf(id, "style.css")).toBe(FILES["style.css"])
    await upload()
    await screen.file("logo.bin").waitFor()
    await until(() => textOf(id, "style.css")).toBe("a{}")

    await using folder = await folderOf({ "site/js/a.js": "let a\n", "site/node_modules/b/index.js": "let b\n" })
    await page.getByLabel("Folder to upload").setInputFiles(join(folder.path, "site"))
    await dialog.getByText(/No files will be replaced\. Skipped 1 Git, dependency or system file/).waitFor()
    await upload()
    await screen.file("site").waitFor()
    expect(await textOf(id, "site/js/a.js")).toBe("let a\n")

    await page.getByLabel("Zip to unpack").setInputFiles(fileOf("no.zip", "no zip at all"))
    await dialog.getByText("This isn't a valid zip file.").waitFor()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    const zip = zipOf([
      { name: "docs/notes.md", content: "# Notes\n" },
      { name: "README.md", content: "# Mine\n" },
    ])
    await page.getByLabel("Zip to unpack").setInputFiles(fileOf("project.zip", zip))
    await dialog.getByText("README.md").waitFor()
    await upload()
    await screen.file("docs").waitFor()
    expect(await textOf(id, "docs/notes.md")).toBe("# Notes\n")
    expect(await screen.file("site/node_modules").count()).toBe(0)

    // With the tree at its narrowest, every control in its header is still reachable.
    await page.setViewportSize({ width: 1024, height: 768 })
    await page.goto(`${place.url}/s/${id}/run?show=code`)
    const header = screen.tree.locator("header")
    await header.getByRole("button", { name: "Upload" }).waitFor()
    const cut = (one: Element) => one.scrollWidth - one.clientWidth
    expect(await header.evaluate(cut)).toBe(0)
    expect(await header.getByRole("heading").evaluate(cut)).toBe(0)
    await screen.show("Graph")
    for (const name of ["Planner", "Architect", "Coder"]) {
      expect(await page.locator("#agent-graph").getByText(name, { exact: true }).evaluate(cut), name).toBe(0)
    }
  })

  it("hands over the project as a zip", async () => {
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const download = visitor.page.waitForEvent("download")
    await visitor.page.locator("#agent-download-button").click()
    expect((await download).suggestedFilename()).toMatch(/\.zip$/)
  })

  it("offers no zip where there is no file", async () => {
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    expect(await visitor.page.locator("#agent-download-button").isDisabled()).toBe(true)
    await visitor.page.getByText("Your app will appear here").waitFor()
    await onRunScreen(visitor.page).reach({ planner: "idle", architect: "idle", coder: "idle" })
  })
})

function editor(page: Page) {
  return page.locator("#agent-editor .cm-content")
}

const fileOf = (name: string, content: string | Buffer) => {
  return { name, mimeType: "application/octet-stream", buffer: Buffer.from(content) }
}

async function folderOf(files: Record<string, string>) {
  const path = await mkdtemp(join(tmpdir(), "upload-"))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), text)
  }
  return { path, [Symbol.asyncDispose]: () => removeFolder(path, { kill: false }) }
}
