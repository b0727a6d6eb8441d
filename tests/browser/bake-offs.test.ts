import { expect, it } from "vitest"
import { inAgentsRoom } from "./harness/agents-room.ts"

const project = {
  "package.json": `${JSON.stringify({ type: "module", scripts: { test: "node --test" } })}\n`,
  "sum.js": "export const add = (a, b) => a - b\n",
  "sum.test.js": `import assert from "node:assert"
import { test } from "node:test"
import { add } from "./sum.js"
test("adds", () => assert.equal(add(1, 2), 3))
`,
}
const mend = `case "$PWD" in *opus*) sed -i 's/a - b/a + b/' sum.js;; *) echo > other.js;; esac`

inAgentsRoom("a comparison of agents", (room) => {
  it("is started by a form, shows the results side by side, and keeps one", async () => {
    const { page, place, agents } = room
    const { folder } = agents.repository(project)
    const { id } = await place.ask("POST", "/api/v1/sessions", { repository: folder })
    const task_description = `Mend the sum. mock: ${JSON.stringify({ files: {}, commands: [mend] })}`
    await place.ask("PUT", "/api/v1/config/max-verification-attempts", { attempts: 1 })
    await page.goto(`/s/${id}/files`)
    await page.getByRole("button", { name: "Session actions" }).click()
    await page.getByRole("menuitem", { name: "Compare agents" }).click()
    await page.getByRole("button", { name: "Compare agents" }).click()
    const form = page.getByRole("dialog", { name: "Compare agents" })
    await form.getByRole("textbox", { name: "Task" }).fill(task_description)
    await form.getByRole("button", { name: "Agent", exact: true }).click()
    await form.getByRole("button", { name: "Remove agent 1" }).click()
    for (const [at, model] of ["opus", "haiku"].entries()) {
      const entrant = form.getByRole("group", { name: `Agent ${at + 1}` })
      await entrant.getByRole("combobox", { name: "Agent" }).selectOption("mock")
      await entrant.getByRole("combobox", { name: "Model" }).fill(model)
    }
    await form.getByRole("combobox", { name: "Permissions" }).selectOption("bypass")
    await form.getByRole("button", { name: "Start" }).click()
    await form.getByRole("button", { name: "Allow and start" }).click()
    await page.getByText("Choose one · 1 of 2 passed the checks").waitFor()
    const rows = await page.getByRole("table").getByRole("row").allInnerTexts()
    expect(rows[1]).toMatch(/mock-opus[\s\S]*Passed[\s\S]*\$0\.00[\s\S]*\+1[\s\S]*−1[\s\S]*1 file/)
    expect(rows[2]).toMatch(/mock-haiku[\s\S]*Failed[\s\S]*1 test failed/)
    await page.getByRole("button", { name: "Keep mock-opus" }).click()
    await page.getByRole("alertdialog").or(page.getByRole("dialog")).getByRole("button", { name: "Keep" }).click()
    await page.getByText("Passed · kept").waitFor()
    await page.getByText("Done · 1 of 2 passed the checks").waitFor()
    const over = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
    expect(await page.evaluate(over)).toBe(0)
  })
})
