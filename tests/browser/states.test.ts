import { deleteSession } from "@switchyard/core/sessions/rules"
import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { FILES } from "./harness/director.ts"
import { logOf } from "./harness/long.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("the studio, whatever state it is in,", ({ visit }) => {
  let place: Place
  let built: string
  beforeAll(async () => {
    place = await openPlace()
    place.director.build(FILES, undefined, "A list that was read before.")
    built = await place.session({ built: true })
  })
  afterEach(() => place.wire.mend())
  afterAll(() => place?.[Symbol.asyncDispose]())

  it("shows home as it was last read while the server is away, and takes no prompt for lost", async () => {
    await using visitor = await visit(place.url)
    const { page } = visitor
    const recent = page.getByRole("region", { name: "Your sessions" })
    await recent.getByText("A list that was read before.").waitFor()
    place.wire.cut()
    const prompt = page.getByLabel("What to build")
    await prompt.fill("A list for later.")
    await page.keyboard.press("Control+Enter")
    await page.getByRole("main").getByRole("alert").getByText("can't be reached").waitFor()
    expect(await prompt.inputValue()).toBe("A list for later.")
    // The user comes back after the list may be outdated. About a second later, two attempts to load it have failed.
    await page.clock.install()
    await page.clock.fastForward(6_000)
    await comeBack(page)
    const told = recent.getByText("This list may be out of date.")
    await until(() => page.clock.fastForward(1_100).then(() => told.count())).toBe(1)
    expect(await recent.getByRole("link", { name: "A list that was read before." }).count()).toBe(1)
    place.wire.mend()
    await recent.getByRole("button", { name: "Retry" }).click()
    await until(() => recent.getByRole("alert").count()).toBe(0)
    await page.reload()
    expect(await prompt.inputValue()).toBe("A list for later.")
  })

  it.each(["full", "blocked"])("works in a browser whose storage is %s, without reloading", async (state) => {
    await using place = await openPlace()
    await using visitor = await visit(`${place.url}/about`)
    const { page } = visitor
    await page.addInitScript((state) => {
      const refuse = () => {
        throw new DOMException("The user agent has no room or no leave.")
      }
      if (state === "full") Storage.prototype.setItem = refuse
      else for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get: refuse })
    }, state)
    await page.goto(place.url)
    let loads = 0
    page.on("domcontentloaded", () => loads++)
    await page.getByLabel("What to build").fill("A list of wishes.")
    await page.getByLabel("What to build").press("Control+Enter")
    await onRunScreen(page).finished()
    await until(() => page.getByRole("main").innerText()).toContain("A list of wishes.")
    expect(loads).toBe(0)
  })

  it("says so where no server can be asked what it is, or who is there, and begins when one can", async () => {
    await using visitor = await visit(`${place.url}/about`)
    const { page } = visitor
    for (const address of ["**/config.json", "**/v1/me"]) {
      await page.route(address, (route) => route.abort())
      await page.goto(`/s/${built}/run`)
      await page.getByRole("heading", { name: "The server can't be reached" }).waitFor()
      await page.unroute(address)
      await page.getByRole("button", { name: "Try again" }).click()
      await onRunScreen(page).finished()
    }
    await page.route("**/config.json", (route) => route.abort())
    await page.goto("/connect")
    await page.getByText("Error:").or(page.getByText("Connected to")).waitFor()
    // React logs the thrown errors to the console before the error boundary shows them.
    expect(visitor.faults.every((fault) => fault.includes("ApiError"))).toBe(true)
    visitor.faults.length = 0
  })

  it("lets one page talk to its own server only, and names the way to another's studio", async () => {
    await using visitor = await visit(`${place.url}/connect`)
    const { page } = visitor
    const address = page.getByLabel("Server URL")
    await address.fill("ftp://elsewhere.invalid")
    await page.getByText("Enter an http or https URL.").waitFor()
    await address.fill("https://elsewhere.invalid")
    await page.keyboard.press("Enter")
    const other = page.getByRole("link", { name: "Open the studio at https://elsewhere.invalid" })
    expect(await other.getAttribute("href")).toBe("https://elsewhere.invalid")
    // The page's content security policy refuses the request.
    await until(() => visitor.faults.filter((fault) => fault.includes("connect-src")).length).toBeGreaterThan(0)
    visitor.faults.length = 0
  })

  it("tells of a session that expired when that was, and offers another", async () => {
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/files/style.css`)
    const { page } = visitor
    await page.locator(".cm-content").waitFor()
    // A preview that is still loading would request a page of the deleted session.
    await page.locator("iframe[title=Preview][data-loaded=true]").waitFor({ state: "attached" })
    const log = await logOf(place, id)
    await log.decide(deleteSession("retention"), { signal: new AbortController().signal })
    const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })
    const title = `This session expired on ${day.format(Date.now())}`
    await page.getByRole("heading", { level: 1, name: title }).waitFor()
    await page.reload()
    await page.getByText(title).waitFor()
    await page.getByRole("main").getByRole("link", { name: "New session" }).click()
    await page.getByLabel("What to build").waitFor()
  })

  it("brings a session back from a zip that was downloaded before it expired", async () => {
    const id = await place.session({ built: true })
    const zip = Buffer.from(await (await fetch(`${place.url}/workspace/download?workspace_id=${id}`)).arrayBuffer())
    await (await logOf(place, id)).decide(deleteSession("retention"), { signal: new AbortController().signal })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const choose = async (buffer: Buffer) => {
      const chooser = page.waitForEvent("filechooser")
      await page.getByRole("button", { name: "Restore from zip" }).click()
      await (await chooser).setFiles({ name: "project.zip", mimeType: "application/zip", buffer })
    }
    await choose(Buffer.from("This is no zip."))
    await page.getByRole("alert").getByText("It isn't a zip file, or it is damaged.").waitFor()
    await choose(zip)
    await onRunScreen(page).file("style.css").first().click()
    await page.locator(".cm-content").waitFor()
    expect(page.url()).toContain(`/s/${id}/run?show=code&file=style.css`)
    // The server refused a file that isn't a zip.
    visitor.faults.length = 0
  })

  it("has a screen for every address, and the way back from each", async () => {
    await using visitor = await visit(`${place.url}/nothing`)
    const { page } = visitor
    const path = () => until(() => new URL(page.url()).pathname)
    await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor()
    await page.goto(`/s/${built}/nonsense`)
    await path().toBe(`/s/${built}/run`)
    await page.goto("/settings")
    await path().toBe("/settings/appearance")
    await page.goto("/settings/nonsense")
    await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor()
    await page.goto("/studio")
    await path().toMatch(/^\/s\/[^/]+\/run$/)

    await page.goto("/")
    await page.getByRole("main").getByRole("link", { name: "A list that was read before." }).click()
    await path().toBe(`/s/${built}/run`)
    await onRunScreen(page).show("Code")
    const search = () => until(() => new URL(page.url()).search)
    await search().toBe("?show=code")
    await onRunScreen(page).file("style.css").first().click()
    await search().toBe("?show=code&file=style.css")
    await page.goBack()
    await search().toBe("?show=code")
    await page.goBack()
    await search().toBe("")
    await onRunScreen(page).finished()
    await page.goBack()
    await page.getByRole("heading", { name: "What should we build?" }).waitFor()
    await page.goForward()
    await onRunScreen(page).finished()
  })

  it("has on the run screen, once each, what others hold on to", async () => {
    await using visitor = await visit(`${place.url}/s/${built}/run`)
    const { page } = visitor
    const places = ["file-tree", "editor", "graph", "logs", "run-button", "download-button", "user-prompt"]
    for (const id of places) {
      await until(async () => [id, await page.locator(`[id="agent-${id}"]`).count()]).toEqual([id, 1])
    }
    await page.locator("#agent-editor .cm-content").waitFor({ state: "attached" })
    for (const action of ["run-agent", "refresh-files", "download-zip", "open-file", "save-file"]) {
      expect(await page.locator(`[data-agent-action="${action}"]`).count(), action).toBeGreaterThan(0)
    }
    for (const node of ["planner", "architect", "coder"]) {
      expect(await page.locator(`[data-agent-node="${node}"][data-agent-source-id="${node}"]`).count(), node).toBe(1)
    }
  })

  it("goes to a chapter of the guide without moving the studio around it", async () => {
    await using visitor = await visit(`${place.url}/docs#keyboard`)
    const { page } = visitor
    const chapter = page.getByRole("heading", { name: "Keyboard", exact: true })
    await until(() => chapter.evaluate((heading) => heading.getBoundingClientRect().top)).toBeLessThan(300)
    expect(await page.getByRole("banner").evaluate((header) => header.getBoundingClientRect().top)).toBe(0)
  })

  it("moves nothing for whoever asked for that, and shows states without colours", async () => {
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const hold = place.director.hold("plan")
    await onRunScreen(page).ask("A list.")
    await hold.reached
    await onRunScreen(page).reach({ planner: "active" })
    // Animations bound to a scroll position don't run on a clock, so they don't count.
    const moving = () =>
      page.evaluate(
        () => document.getAnimations().filter(({ timeline }) => timeline instanceof DocumentTimeline).length,
      )
    expect(await moving()).toBe(0)
    await page.emulateMedia({ reducedMotion: "no-preference" })
    await until(moving).toBeGreaterThan(0)
    await page.emulateMedia({ forcedColors: "active" })
    expect(await invisible(page)).toEqual([])
    hold.release()
    await onRunScreen(page).finished()
  })
})

/** Emits the `visibilitychange` event of a page that is visible again. */
function comeBack(page: Page): Promise<void> {
  return page.evaluate(() => void document.dispatchEvent(new Event("visibilitychange", { bubbles: true })))
}

/** Returns the shapes that have no color other than their background's. */
function invisible(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<SVGElement>("main svg > *")].flatMap((shape) => {
      const { stroke, fill } = getComputedStyle(shape)
      const around = getComputedStyle(shape.closest("button") ?? document.body).backgroundColor
      const seen = [stroke, fill].some((colour) => colour !== "none" && colour !== around)
      return seen ? [] : [shape.outerHTML]
    }),
  )
}
