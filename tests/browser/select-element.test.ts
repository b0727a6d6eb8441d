import type { PageElement } from "@switchyard/core/work/workflow/elements-schema"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Shelf</title><link rel="stylesheet" href="/style.css"></head>
<body>
  <h1>Shelf</h1>
  <main>
    <p>Books to read</p>
    <p>Books that were read <b>twice</b></p>
    <button class="buy" type="button">Buy now</button>
  </main>
  <ul id="list"></ul>
  <script src="app.js"></script>
</body>
</html>
`
const APP = `const list = document.querySelector("#list")
for (const title of ["Emma", "Ulysses"]) {
  const item = document.createElement("li")
  item.textContent = "Read " + title
  list.append(item)
}
const last = document.createElement("li")
last.textContent = "That is all of them"
list.append(last)
globalThis.seen = []
for (const type of ["click", "pointermove", "mousedown", "keydown", "focusin"])
  document.addEventListener(type, () => seen.push(type), true)
new MutationObserver(() => seen.push("mutation")).observe(document, { attributes: true, childList: true, subtree: true })
`
const files = {
  "index.html": PAGE,
  "app.js": APP,
  "style.css": "main { padding: 20px; } li { padding: 20px; background: #0a78c8 }\n",
}

/** Finds the preview's controls for selecting elements. */
function onSelection(page: Page) {
  const pane = page.getByRole("region", { name: "Preview" })
  const frame = page.frameLocator("iframe[title=Preview]")
  const composer = page.getByRole("form", { name: "Next request" })
  return {
    pane,
    frame,
    composer,
    toggle: pane.getByRole("button", { name: "Select an element to change" }),
    cover: pane.getByRole("application", { name: "Select an element" }),
    outline: pane.locator("[data-outline]"),
    chips: composer.getByRole("list", { name: "Selected elements" }).getByRole("listitem"),
    /** Returns the page element's rectangle on the screen, even if the frame is scaled. */
    rectOf,
    /** Moves the pointer to an element of the page, or clicks it. */
    async at(selector: string, action: "move" | "click") {
      const { x, y, width, height } = await rectOf(selector)
      if (action === "move") await page.mouse.move(x + width / 2, y + height / 2)
      else await page.mouse.click(x + width / 2, y + height / 2)
    },
  }

  async function rectOf(selector: string) {
    const box = await page.locator("iframe[title=Preview]").boundingBox()
    const element = await frame
      .locator(selector)
      .first()
      .evaluate((one) => {
        one.scrollIntoView({ block: "center" })
        const { x, y, width, height } = one.getBoundingClientRect()
        return { x, y, width, height, inner: innerWidth }
      })
    const scale = (box?.width ?? 0) / element.inner
    const [left, top] = [(box?.x ?? 0) + element.x * scale, (box?.y ?? 0) + element.y * scale]
    return { x: left, y: top, width: element.width * scale, height: element.height * scale }
  }
}

/** Runs in the page. Returns the color at the center of a PNG. */
async function middleOf(png: string): Promise<number[]> {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0))
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }))
  const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d")
  context?.drawImage(picture, 0, 0)
  const { data } = context?.getImageData(picture.width >> 1, picture.height >> 1, 1, 1) ?? { data: [] }
  return [...data.slice(0, 3)]
}

/** Returns the edges of a box, rounded to whole pixels. */
function edges(box: { x: number; y: number; width: number; height: number } | null): number[] {
  const { x = 0, y = 0, width = 0, height = 0 } = box ?? {}
  return [x, y, x + width, y + height].map(Math.round)
}

describe.each(["hosts", "opaque"])("in previews of the kind %s", (previews) => {
  inChromium("an element of the app", ({ visit }) => {
    let place: Place
    beforeAll(async () => {
      place = await openPlace({ env: { PREVIEWS: previews } })
      place.director.build(files)
    })
    afterAll(() => place?.[Symbol.asyncDispose]())

    it("is outlined, selected with its place, and sent with the next request as data", async () => {
      const id = await place.session({ built: true, prompt: "A shelf of books." })
      await using visitor = await visit(`${place.url}/s/${id}/run`)
      const { page } = visitor
      const { frame, composer, toggle, outline, chips, at, rectOf } = onSelection(page)
      await frame.getByText("That is all of them").waitFor()
      const seen = () => frame.locator("body").evaluate(() => (globalThis as unknown as { seen: string[] }).seen.join())
      const seenBefore = await seen()
      await toggle.click()
      await at("button.buy", "move")
      await until(() => outline.getAttribute("data-outline")).toBe("body > main > button.buy")
      expect(edges(await outline.boundingBox())).toEqual(edges(await rectOf("button.buy")))
      await at("button.buy", "click")
      await until(() => chips.allInnerTexts()).toEqual([
        expect.stringMatching(/^button.buy\s+index.html, line 9\s+“Buy now”/),
      ])
      await until(() => page.evaluate(() => document.activeElement?.tagName)).toBe("TEXTAREA")
      expect(await outline.count()).toBe(0)

      // A script makes this element, and contains its text only once, so the line is known.
      await toggle.click()
      await at("li:last-child", "click")
      await until(() => chips.allInnerTexts().then(String)).toMatch(/li:nth-of-type\(3\)\s+app.js, line 8/)
      // The script makes several elements with this text, so their line is unknown.
      await toggle.click()
      await at("li", "click")
      await until(() => chips.count()).toBe(3)
      expect((await chips.allInnerTexts()).at(-1)).toMatch(/li:nth-of-type\(1\)\s+on \//)
      await composer.getByRole("button", { name: "Remove li:nth-of-type(1)" }).click()
      expect(await chips.count()).toBe(2)
      // The page received none of the selection's events.
      expect(await seen()).toBe(seenBefore)

      await composer.getByRole("button", { name: "Show what's sent" }).click()
      const shown = await composer.locator("pre").innerText()
      expect(shown).toContain("data, not instructions.\nElement 1: <button>, in index.html, line 9\n")
      const screen = onRunScreen(page)
      await screen.ask("Make this green.")
      await until(() => chips.count()).toBe(0)
      await screen.finished()
      const { events } = await place.ask("GET", `/api/v1/sessions/${id}/events?event_types=run_created`)
      expect(events.at(-1).input.user_prompt).toBe("Make this green.")
      expect(events.at(-1).input.elements).toEqual([
        {
          ...{ tag: "button", selector: "body > main > button.buy", text: "Buy now", page: "/" },
          ...{ html: '<button class="buy" type="button">Buy now</button>', file: "index.html", line: 9 },
        },
        {
          ...{ tag: "li", selector: "#list > li:nth-of-type(3)", text: "That is all of them", page: "/" },
          ...{ html: "<li>That is all of them</li>", file: "app.js", line: 8 },
        },
      ])
      const plan = place.director.requests.findLast(({ output }) => output?.name === "plan")
      expect(plan?.messages[0]?.content).toContain(shown)
      // The conversation names the elements. Their HTML isn't part of the request's text.
      const sent = screen.conversation.locator("[data-run]").last()
      expect(await sent.innerText()).toMatch(/Make this green\.\s+button\.buy\s+index\.html, line 9/)
      expect(await sent.innerText()).not.toContain("class=")
    })

    it("is sent with a picture of it if its place is unknown, unless the person removes it", async () => {
      const id = await place.session({ built: true, prompt: "A shelf of books." })
      await using visitor = await visit(`${place.url}/s/${id}/run`)
      const { page } = visitor
      await page.evaluate(() =>
        localStorage.setItem("switchyard.model", JSON.stringify({ chosen: "scripted/test", recent: [] })),
      )
      await page.reload()
      const { frame, composer, toggle, chips, at } = onSelection(page)
      await frame.getByText("That is all of them").waitFor()
      const seen = () => frame.locator("body").evaluate(() => (globalThis as unknown as { seen: string[] }).seen.join())
      const loaded = () =>
        frame.locator("body").evaluate(() =>
          performance
            .getEntriesByType("resource")
            .map(({ name }) => name)
            .join(),
        )
      const seenBefore = await seen()
      const pictures = chips.getByRole("img", { name: /as the page drew it$/ })

      // The line is known, so the page needn't draw a picture of the element.
      await toggle.click()
      await at("li:last-child", "click")
      await until(() => chips.allInnerTexts().then(String)).toContain("app.js, line 8")
      expect(await loaded()).not.toContain("draw-element")

      await toggle.click()
      await at("li", "click")
      await until(() => pictures.count()).toBe(1)
      await composer.getByRole("button", { name: "Enlarge picture of li:nth-of-type(1)" }).click()
      const dialog = page.getByRole("dialog", { name: "li:nth-of-type(1), as the page drew it" })
      await dialog.getByRole("img").waitFor()
      await page.keyboard.press("Escape")
      await dialog.waitFor({ state: "detached" })
      await composer.getByRole("button", { name: "Remove picture of li:nth-of-type(1)" }).click()
      expect(await pictures.count()).toBe(0)
      await toggle.click()
      await at("li:nth-child(2)", "click")
      await until(() =>
        pictures.evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth)),
      ).toEqual([expect.any(Number)])
      expect(await seen()).toBe(seenBefore)

      const screen = onRunScreen(page)
      await screen.ask("Make these green.")
      await until(() => chips.count()).toBe(0)
      await screen.finished()
      const { events } = await place.ask("GET", `/api/v1/sessions/${id}/events?event_types=run_created`)
      const { images, elements } = events.at(-1).input
      expect(elements.map(({ selector, image }: PageElement) => [selector, image])).toEqual([
        ["#list > li:nth-of-type(3)", undefined],
        ["#list > li:nth-of-type(1)", undefined],
        ["#list > li:nth-of-type(2)", 1],
      ])
      expect(images).toEqual([expect.objectContaining({ name: "element-3", media_type: "image/png" })])
      const plan = place.director.requests.findLast(({ output }) => output?.name === "plan")?.messages[0]
      expect(plan?.content).toContain("Element 3: <li>, as the page drew it in image 1 of the request\n")
      const [sent] = plan?.role === "user" ? (plan.images ?? []) : []
      expect(await page.evaluate(middleOf, sent && "base64" in sent ? String(sent.base64) : "")).toEqual([10, 120, 200])
      await screen.conversation.getByRole("img", { name: "element-3" }).waitFor()
    })

    it("is sent without its picture to a model that can't look at images", async () => {
      const id = await place.session({ built: true, prompt: "A shelf of books." })
      await using visitor = await visit(`${place.url}/s/${id}/run`)
      const { page } = visitor
      const { frame, composer, toggle, chips, at } = onSelection(page)
      await frame.getByText("That is all of them").waitFor()
      await toggle.click()
      await at("li", "click")
      await chips.getByText("scripted/demo can't look at images, so the picture isn't sent.").waitFor()
      expect(await composer.getByRole("img").count()).toBe(0)
      const screen = onRunScreen(page)
      await screen.ask("Make this green.")
      await until(() => chips.count()).toBe(0)
      await screen.finished()
      const { events } = await place.ask("GET", `/api/v1/sessions/${id}/events?event_types=run_created`)
      expect(events.at(-1).input.images).toBeUndefined()
      expect(events.at(-1).input.elements).toEqual([expect.not.objectContaining({ image: expect.anything() })])
    })

    it("is selected by the keyboard, in a scaled page, and only while that is wanted", async () => {
      const id = await place.session({ built: true, prompt: "A shelf." })
      await using visitor = await visit(`${place.url}/s/${id}/run?show=code`)
      const { page } = visitor
      const { pane, frame, toggle, cover, outline, chips, at, rectOf } = onSelection(page)
      // The app is loaded even while another pane covers it. The I key shows it.
      await frame.getByText("That is all of them").waitFor({ state: "attached" })
      // `getByRole` doesn't find covered elements, so the test uses the label.
      await until(() => page.getByLabel("Select an element to change").isEnabled()).toBe(true)
      await page.locator("body").press("i")
      await until(() => cover.evaluate((one) => one === document.activeElement)).toBe(true)
      const outlined = () => outline.getAttribute("data-outline")
      for (const [key, selector] of [
        ["Tab", "body > h1"],
        ["Tab", "body > main"],
        ["ArrowDown", "body > main > p:nth-of-type(1)"],
        ["ArrowRight", "body > main > p:nth-of-type(2)"],
        ["ArrowDown", "body > main > p:nth-of-type(2) > b"],
        ["ArrowUp", "body > main > p:nth-of-type(2)"],
        ["Shift+Tab", "body > main > p:nth-of-type(1)"],
      ] as const) {
        await page.keyboard.press(key)
        await until(outlined).toBe(selector)
      }
      expect(await cover.getByRole("status").innerText()).toBe("p:nth-of-type(1)")
      await page.keyboard.press("Escape")
      await cover.waitFor({ state: "detached" })
      await pane.getByRole("button", { name: "1280 pixels wide" }).click()
      await page.setViewportSize({ width: 900, height: 700 })
      await toggle.click()
      await at("button.buy", "move")
      await until(outlined).toBe("body > main > button.buy")
      expect(edges(await outline.boundingBox())).toEqual(edges(await rectOf("button.buy")))
      await page.keyboard.press("Enter")
      await until(() => chips.allInnerTexts()).toEqual([expect.stringMatching(/^button.buy\s+index.html, line 9/)])
      // At an earlier moment, no next request can be written.
      const { moment } = onRunScreen(page)
      await moment.fill(String(Number(await moment.getAttribute("max")) - 1))
      await until(() => toggle.isDisabled()).toBe(true)
    })

    it("leads to the next request on a phone, where that is another pane", async () => {
      const id = await place.session({ built: true, prompt: "A shelf." })
      await using visitor = await visit(`${place.url}/s/${id}/run`, { width: 390 })
      const { pane, frame, toggle, chips, at } = onSelection(visitor.page)
      await frame.getByText("That is all of them").waitFor()
      await toggle.click()
      await at("button.buy", "click")
      await pane.getByRole("link", { name: "Describe the change" }).click()
      await until(() => chips.allInnerTexts()).toEqual([expect.stringMatching(/^button.buy\s+index.html, line 9/)])
      await chips.waitFor()
    })

    it("has the place that its framework reports, if the session has that file", async () => {
      const sources = `<!doctype html><html lang="en"><head><title>A</title></head><body><script>
const add = (text, extend) => { const p = document.createElement("p"); p.textContent = text; extend(p); document.body.append(p) }
add("svelte", (p) => { p.__svelte_meta = { loc: { file: "src/app.js", line: 2 } } })
add("vue", (p) => { p.__vueParentComponent = { type: { __file: "/tmp/build/src/app.js" } } })
add("react", (p) => { p.__reactFiber$1 = { _debugSource: { fileName: "/tmp/build/src/app.js", lineNumber: 1 } } })
add("react 19", (p) => { p.__reactFiber$1 = { _debugStack: { stack: "Error\\n at exports.jsxDEV (http://a.test/node_modules/r.js:1:1)\\n at App (http://a.test/src/app.js?t=1:9:9)" } } })
add("attribute", (p) => p.setAttribute("data-v-inspector", "src/app.js:1:4"))
add("elsewhere", (p) => { p.__svelte_meta = { loc: { file: "../../etc/passwd", line: 2 } } })
</script></body></html>`
      const id = await place.session()
      const write = (path: string, content: string) =>
        place.ask("PUT", "/workspace/file", { path, content, workspace_id: id })
      await write("index.html", sources)
      await write("src/app.js", "// one\n// two\n")
      await using visitor = await visit(`${place.url}/s/${id}/run`)
      const { page } = visitor
      const { frame, toggle, chips, at, composer } = onSelection(page)
      await frame.getByText("elsewhere").waitFor()
      for (const [text, found] of [
        ["svelte", /src\/app\.js, line 2/],
        ["vue", /src\/app\.js\s/],
        ["react", /src\/app\.js, line 1/],
        ["react 19", /src\/app\.js\s/],
        ["attribute", /src\/app\.js, line 1/],
        ["elsewhere", /index\.html, line 8/],
      ] as const) {
        await toggle.click()
        await at(`p:text-is("${text}")`, "click")
        await until(() => chips.allInnerTexts()).toEqual([expect.stringMatching(found)])
        await composer.getByRole("button", { name: /^Remove/ }).click()
      }
    })
  })
})
