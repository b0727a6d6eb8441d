import { mkdir, writeFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { expect, it } from "vitest"
import { openPlace } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const KEY = "sk-ant-api03-9fJmZ0p9QdXwT4yKcR7u"

inChromium("the accounts of agents", ({ visit }) => {
  it("are added, refused in the server's words, chosen for a task and deleted, and their keys never come back", async () => {
    await using place = await openPlace()
    await using visitor = await visit(`${place.url}/settings/accounts`)
    const { page } = visitor
    const heard: string[] = []
    page.on("response", async (answer) => {
      if (answer.url().includes("/api/v1/")) heard.push(await answer.text().catch(() => ""))
    })
    await page.getByText("No accounts yet").waitFor()
    const add = page.getByRole("button", { name: "Add account" })
    await add.click()
    const form = page.getByRole("dialog", { name: "Add an account" })
    const keep = form.getByRole("button", { name: "Save" })
    const field = (name: string) => form.getByLabel(name, { exact: true })

    await field("Agent").selectOption({ label: "Claude Code" })
    await field("Name").fill("work")
    await field("API key").fill(`${KEY} and more`)
    await keep.click()
    await page.getByText("A key can't contain spaces or special characters.").waitFor()
    // Only the server knows that an account with this provider needs a key.
    await field("API key").fill("")
    await keep.click()
    await page.getByText("Accounts with this provider need an api_key.").waitFor()
    await field("API key").fill(KEY)
    await field("Model").fill("opus")
    await keep.click()
    const kept = page.getByRole("listitem").filter({ hasText: "API key · model opus" })
    await kept.getByText("work", { exact: true }).waitFor()
    await add.click()
    expect(await field("API key").inputValue()).toBe("")
    await field("Name").fill("Work")
    await field("API key").fill(KEY)
    await keep.click()
    await page.getByText("An account with this name already exists.").waitFor()

    // An account that needs no key has no field for it, and works.
    await field("Agent").selectOption({ label: "Mock" })
    expect(await field("API key").count()).toBe(0)
    await field("Name").fill("play")
    await keep.click()
    await page.getByRole("listitem").filter({ hasText: "no key needed" }).waitFor()
    await page.getByRole("button", { name: "Edit play" }).click()
    const edit = page.getByRole("dialog", { name: "Edit play" })
    await edit.getByText(/ available/).waitFor()
    await edit.getByRole("combobox", { name: "Model" }).fill("small")
    await edit.getByRole("checkbox", { name: "Default reviewer" }).check()
    await edit.getByRole("button", { name: "Save" }).click()
    await page.getByText("no key needed · reviewer · model small").waitFor()
    const accounts: { name: string; role: string }[] = (await place.ask("GET", "/api/v1/accounts")).accounts
    expect(Object.fromEntries(accounts.map(({ name, role }) => [name, role]))).toEqual({
      work: "CODING",
      play: "VERIFICATION",
    })

    await page.goto("/")
    await page.getByText("Agent", { exact: true }).first().click()
    const agent = page.getByRole("combobox", { name: "Agent", exact: true })
    await until(() => agent.innerText()).toContain("play")
    expect(await agent.innerText()).toContain("work")

    await page.goto("/settings/accounts")
    await page.getByRole("button", { name: "Delete work" }).click()
    const dialog = page.getByRole("dialog", { name: "Delete work?" })
    await dialog.getByRole("button", { name: "Cancel" }).click()
    expect((await place.ask("GET", "/api/v1/accounts")).total).toBe(2)
    await page.getByRole("button", { name: "Delete work" }).click()
    await dialog.getByRole("button", { name: "Delete" }).click()
    await until(() => page.getByRole("listitem").filter({ hasText: "Claude Code" }).count()).toBe(0)
    expect((await place.ask("GET", "/api/v1/accounts")).accounts).toMatchObject([{ name: "play" }])

    await page.route("**/api/v1/accounts", (route) => route.fulfill({ status: 500, json: {} }))
    await page.reload()
    await page.getByText("The server responded with status 500.").waitFor()
    await page.unroute("**/api/v1/accounts")
    await page.getByRole("button", { name: "Retry" }).click()
    await page.getByRole("button", { name: "Delete play" }).waitFor()
    expect(heard.length).toBeGreaterThan(5)
    expect(heard.join("\n")).not.toContain(KEY)
  })

  it("take an agent's own login only with consent, and another key in its place, and neither comes back", async () => {
    const key = "sk-proj-4Tq0c8Zs5N2mLx7DkPw3bRyU"
    const token = "rt_V1hTq0c8Zs5N2mLx7DkPw3bRyUeGa9Jf"
    const login = JSON.stringify({ tokens: { access_token: `at_${token}`, refresh_token: token, id_token: "e.e.e" } })
    await using place = await openPlace()
    await using visitor = await visit(`${place.url}/settings/accounts`)
    const { page } = visitor
    const heard: string[] = []
    page.on("response", async (answer) => {
      if (answer.url().includes("/api/v1/")) heard.push(await answer.text().catch(() => ""))
    })
    const add = page.getByRole("button", { name: "Add account" })
    await add.click()
    const form = page.getByRole("dialog", { name: "Add an account" })
    const keep = form.getByRole("button", { name: "Save" })
    await form.getByLabel("Agent", { exact: true }).selectOption({ label: "Gemini CLI" })
    expect(await form.getByRole("radio").count()).toBe(0)
    await form.getByLabel("Agent", { exact: true }).selectOption({ label: "Codex" })
    await form.getByLabel("Name", { exact: true }).fill("mine")
    await form.getByText("Agent's own login").click()
    await form.getByText(/OpenAI recommends API keys/).waitFor()
    await form.getByText("npx switchyard accounts login mine --provider codex --consent").waitFor()
    await keep.click()
    await form.getByText("Choose the auth.json file.").waitFor()
    const file = (text: string) => ({ name: "my auth.json", mimeType: "application/json", buffer: Buffer.from(text) })
    await form.getByLabel("auth.json file").setInputFiles(file("{}"))
    await form.getByText("Selected file: auth.json").waitFor()
    await keep.click()
    await form.getByText("Agree to these terms first.").waitFor()
    expect((await place.ask("GET", "/api/v1/accounts")).total).toBe(0)
    await form.getByRole("checkbox", { name: "I agree to these terms" }).check()
    await keep.click()
    await form.getByText("The file auth.json doesn't contain a login.").waitFor()
    await form.getByLabel("auth.json file").setInputFiles(file(login))
    await keep.click()
    await page.getByRole("listitem").filter({ hasText: "agent's own login ·" }).waitFor()
    expect((await place.ask("GET", "/api/v1/accounts")).accounts).toMatchObject([{ has_login: true, has_key: false }])

    await page.getByRole("button", { name: "Edit mine" }).click()
    const edit = page.getByRole("dialog", { name: "Edit mine" })
    await edit.getByText("Key", { exact: true }).click()
    await edit.getByLabel("API key", { exact: true }).fill(key)
    await edit.getByRole("button", { name: "Save" }).click()
    await page.getByRole("listitem").filter({ hasText: "API key ·" }).waitFor()
    expect((await place.ask("GET", "/api/v1/accounts")).accounts).toMatchObject([{ has_login: false, has_key: true }])
    expect(heard.length).toBeGreaterThan(5)
    expect(heard.join("\n")).not.toContain(token)
    expect(heard.join("\n")).not.toContain(key)
  })

  it("log in with an agent's own program in a terminal of the page, which can be closed before the end", async () => {
    await using place = await openPlace()
    using _ = await withProgram(place.server.folder, "codex", CODEX)
    await using visitor = await visit(`${place.url}/settings/accounts`)
    const { page } = visitor
    await page.getByRole("button", { name: "Add account" }).click()
    const form = page.getByRole("dialog", { name: "Add an account" })
    await form.getByLabel("Agent", { exact: true }).selectOption({ label: "Codex" })
    await form.getByLabel("Name", { exact: true }).fill("mine")
    await form.getByText("Agent's own login").click()
    await form.getByRole("button", { name: "Log in…" }).click()
    await form.getByText("Agree to these terms first.").waitFor()
    await form.getByRole("checkbox", { name: "I agree to these terms" }).check()
    await form.getByRole("button", { name: "Log in…" }).click()
    const dialog = page.getByRole("dialog", { name: "Log in to mine" })
    await dialog.getByText("Code?").waitFor()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await until(async () => (await place.ask("GET", "/api/v1/sessions")).sessions.length).toBe(0)
    expect((await place.ask("GET", "/api/v1/accounts")).total).toBe(0)

    await form.getByRole("button", { name: "Log in…" }).click()
    await dialog.getByText("Code?").waitFor()
    await dialog.locator("[data-pty]").click()
    await page.keyboard.type("no\n")
    await dialog.getByText("codex login exited without logging in.").waitFor()
    await dialog.getByRole("button", { name: "Close", exact: true }).last().click()

    await form.getByRole("button", { name: "Log in…" }).click()
    await dialog.getByText("Code?").waitFor()
    // If the connection breaks, the terminal keeps running.
    place.wire.cut()
    await dialog.getByText("Disconnected.").waitFor()
    place.wire.mend()
    await dialog.getByText("Disconnected.").waitFor({ state: "detached" })
    await dialog.locator("[data-pty]").click()
    await page.keyboard.type("yes\n")
    await page.getByText("mine is logged in.").waitFor()
    await page.getByRole("listitem").filter({ hasText: "agent's own login ·" }).waitFor()
    expect(await dialog.count()).toBe(0)
  })
})

const CODEX = `#!/bin/sh
printf 'Code? '
read code
[ "$code" = yes ] || exit 1
printf '{"tokens":{"refresh_token":"rt-of-a-browser-test-%s"}}' "$code" > "$CODEX_HOME/auth.json"
`

/** Puts a program on the `PATH` of servers that start before the result is disposed. */
async function withProgram(folder: string, name: string, script: string): Promise<Disposable> {
  const bin = join(folder, "bin")
  await mkdir(bin, { recursive: true })
  await writeFile(join(bin, name), script, { mode: 0o755 })
  const { PATH } = process.env
  process.env.PATH = [bin, PATH].join(delimiter)
  return {
    [Symbol.dispose]() {
      process.env.PATH = PATH
    },
  }
}
