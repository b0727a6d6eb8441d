import type { Page } from "playwright-core"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

/** Texts that would run code or load something if the page inserted them as markup. */
const ATTACKS = [
  `<img src=x onerror="window.broken=1">`,
  `<script>window.broken=1</script>`,
  `"><svg onload=window.broken=1>`,
  `<iframe srcdoc="<script>parent.broken=1</script>"></iframe>`,
  `[click](javascript:window.broken=1)`,
  `{{constructor.constructor('window.broken=1')()}}`,
  `<a href="javascript:window.broken=1" autofocus onfocus="window.broken=1">x</a>`,
  `<style>*{display:none}</style><base href="https://elsewhere.invalid/">`,
  `\u202egnp.exe\u0000\u001b[31m`,
]
const ALL = ATTACKS.join(" ").replaceAll("\u0000", "")

inChromium("what a model or a person wrote", ({ visit }) => {
  let place: Place
  beforeEach(async () => {
    place = await openPlace()
  })
  afterEach(() => place[Symbol.asyncDispose]())

  it("is text on every screen, wherever it stands", async () => {
    const files = {
      "src/<img src=x onerror=window.broken=1>.html": ALL,
      "a\"onmouseover='window.broken=1'.md": ALL,
      "README.md": `# ${ALL}`,
    }
    place.director.build(files, `${ALL} `, ALL)
    const id = await place.session({ built: true, prompt: ALL })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.finished()
    await until(() => screen.conversation.innerText()).toContain("onerror")
    await screen.show("Log")
    await screen.log.getByLabel("details").check()
    await until(() => screen.log.innerText()).toContain("onerror")
    await expectHarmless(page)
    for (const path of Object.keys(files)) {
      await page.goto(`/s/${id}/files/${path.split("/").map(encodeURIComponent).join("/")}`)
      await until(() => page.locator("#agent-editor .cm-content").innerText()).toContain("onerror")
      await expectHarmless(page)
    }
    await page.goto("/")
    await page.getByRole("heading").first().waitFor()
    await until(() => page.locator("main").innerText()).toContain("onerror")
    await expectHarmless(page)
    await page.keyboard.press("Control+k")
    await page.getByRole("dialog").waitFor()
    await expectHarmless(page)
  })

  it("is text where it is what went wrong", async () => {
    place.director.fail("style.css", new Error(ALL))
    const id = await place.session({ built: true, prompt: "A list." })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    await onRunScreen(visitor.page).reach({ coder: "error" })
    await expectHarmless(visitor.page)
  })
})

async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate(() => "broken" in window)).toBe(false)
  // The studio's own iframe shows the app.
  const planted =
    "iframe:not([title=Preview]), base, [onerror], [onload], [onfocus], [onmouseover], a[href^='javascript:'], img[src='x']"
  expect(await page.locator(planted).count()).toBe(0)
}
