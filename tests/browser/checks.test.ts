import { afterEach, beforeEach, expect, it } from "vitest"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const manifest = JSON.stringify({ type: "module", scripts: { test: "node --test" } })
const test = (sum: number) => `import { test } from "node:test"
import assert from "node:assert"
test("adds", () => assert.equal(1 + 1, ${sum}, "one and one"))
`

inChromium("what was built, tried", ({ visit }) => {
  let place: Place
  beforeEach(async () => {
    place = await openPlace()
  })
  afterEach(() => place[Symbol.asyncDispose]())

  it("is tried after somebody allowed it, and tells each command and its result", async () => {
    const id = await place.session({ built: true })
    const edit = (path: string, content: string) =>
      place.ask("PUT", "/workspace/file", { workspace_id: id, path, content })
    await edit("package.json", manifest)
    await edit("sum.test.js", test(3))
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const { conversation } = onRunScreen(page)
    await conversation.getByRole("button", { name: "Run tests and start" }).click()
    await conversation.getByText(/Install, test and start generated projects/).waitFor()
    await conversation.getByRole("button", { name: "Allow", exact: true }).click()

    const card = conversation.locator("[data-check]")
    await until(() => card.getAttribute("data-check")).toBe("failed")
    await until(() => card.innerText()).toMatch(/Tests failed\s+npm test\s+1 test failed, 0 passed/)
    await until(() => card.locator("pre").innerText()).toContain("one and one")

    await edit("sum.test.js", test(2))
    await conversation.getByRole("button", { name: "Run tests and start" }).click()
    await until(() => card.getAttribute("data-check")).toBe("passed")
    await until(() => card.innerText()).toMatch(/Tests passed, app starts\s+npm test\s+1 test passed/)
    expect(await card.locator("pre").count()).toBe(0)
    await card.getByRole("button", { name: "Show output" }).click()
    await until(() => card.locator("pre").first().innerText()).toContain("adds")
    expect(await conversation.getByRole("button", { name: "Run tests and start" }).count()).toBe(0)
  })

  it("is tried by commands that a person set, until they are taken back", async () => {
    const id = await place.session({ built: true })
    const edit = (path: string, content: string) =>
      place.ask("PUT", "/workspace/file", { workspace_id: id, path, content })
    await edit("package.json", manifest)
    await edit("sum.test.js", test(3))
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const { conversation } = onRunScreen(page)
    await conversation.getByRole("button", { name: "Commands" }).click()
    const field = page.getByLabel("Test", { exact: true })
    await until(() => field.getAttribute("placeholder")).toBe("npm test")
    await field.fill("node --version")
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
    await until(() => page.getByRole("dialog").count()).toBe(0)
    await conversation.getByRole("button", { name: "Run tests and start" }).click()
    await conversation.getByRole("button", { name: "Allow", exact: true }).click()
    const card = conversation.locator("[data-check]")
    await until(() => card.innerText()).toMatch(/Tests passed, app starts\s+node --version\s+passed \(set by you\)/)

    await place.ask("PUT", `/api/v1/sessions/${id}/checks/commands`, {})
    const checked = await place.ask("POST", `/api/v1/sessions/${id}/checks`, { consent: true })
    await place.ended(checked.run_id)
    await until(() => card.innerText()).toMatch(/npm test\s+1 test failed/)
    await conversation.getByRole("button", { name: "Commands" }).click()
    await until(() => field.inputValue()).toBe("")
  })

  it("is seen in a picture, here and in the list of sessions", async () => {
    const id = await place.session()
    const content = '<!doctype html>\n<html lang="en"><head><title>A</title></head><body><h1>A</h1></body></html>\n'
    await place.ask("PUT", "/workspace/file", { workspace_id: id, path: "index.html", content })
    const checked = await place.ask("POST", `/api/v1/sessions/${id}/checks`, { consent: true })
    await place.ended(checked.run_id)
    await using visitor = await visit(place.url)
    const picture = visitor.page.getByRole("region", { name: "Your sessions" }).locator("img")
    await until(() => picture.evaluate((image: HTMLImageElement) => [image.complete, image.naturalWidth])).toEqual([
      true,
      640,
    ])
  })

  it("is a part of the run from then on, and is told while it goes on", async () => {
    const id = await place.session({ built: true })
    const checked = await place.ask("POST", `/api/v1/sessions/${id}/checks`, { consent: true })
    await place.ended(checked.run_id)
    await place.run(id, "Make it blue.")
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { conversation } = onRunScreen(visitor.page)
    await until(() => conversation.locator("[data-check]").last().innerText()).toMatch(/App starts\s+open index\.html/)
    await until(() => conversation.locator("[data-outcome]").last().getAttribute("data-outcome")).toBe("completed")
    expect(await conversation.getByText(/^Waiting/).count()).toBe(0)
  })
})
