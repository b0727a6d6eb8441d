import { dirname, join } from "node:path"
import { defaultPreferences } from "@switchyard/core/people/settings/default-preferences"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeRepository } from "../../agents/repository.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const path = "/api/v1/config/preferences"
const put = (json: unknown) => server.call("PUT", path, { json })

describe("preferences over HTTP", () => {
  it("are told, changed one by one, and told so from then on", async () => {
    expect((await server.call("GET", path)).body).toEqual({ ...defaultPreferences, dark_mode: null, version: 0 })
    const dark = { ...defaultPreferences, theme: "dark", dark_mode: true, version: 1 }
    expect((await put({ theme: "dark" })).body).toEqual(dark)
    expect((await put({ density: "compact", version: 1 })).body).toMatchObject({ theme: "dark", version: 2 })
    expect((await server.call("GET", path)).body).toMatchObject({ theme: "dark", density: "compact" })
  })

  it.each([{ theme: "sepia" }, { unknown: 1 }, { terminal_font_px: 4 }, { version: -1 }, [], "dark", null])(
    "are not changed by %j",
    async (change) => {
      const before = (await server.call("GET", path)).body
      expect((await put(change)).status).toBe(422)
      expect((await server.call("GET", path)).body).toEqual(before)
    },
  )

  it("are not changed over somebody else's change", async () => {
    expect(await put({ theme: "light", version: 0 })).toMatchObject({
      status: 409,
      body: { error: { code: "storage_conflict" } },
    })
  })
})

describe("preferences by the names of other servers", () => {
  it("are the same preferences", async () => {
    const theirs = { last_project_path: server.folder, dark_mode: false, ui_mode: "cli" }
    expect((await put(theirs)).body).toMatchObject({ ...theirs, theme: "light" })
    expect((await put({ dark_mode: true, theme: "system" })).body).toMatchObject({ theme: "system", dark_mode: null })
    expect((await put({ dark_mode: true })).body).toMatchObject({ ...theirs, theme: "dark", dark_mode: true })
    expect((await put({ last_project_path: "/nowhere" })).body.last_project_path).toBeNull()
    const last_project_path = "https://git.example.com/garden.git"
    expect((await put({ last_project_path })).body).toMatchObject({ last_project_path })
  })
})

describe("the snippets of an owner", () => {
  const snippets = (json?: object) => server.call(json ? "PUT" : "GET", "/api/v1/config/snippets", { json })

  it("are replaced as a whole, and not over somebody else's change", async () => {
    expect((await snippets()).body).toEqual({ snippets: [], version: 0 })
    const review = { title: "Review", text: "Review this:\n" }
    const stored = { snippets: [review], version: 1 }
    expect((await snippets({ snippets: [review], version: 0 })).body).toEqual(stored)
    expect((await snippets({ snippets: [], version: 0 })).status).toBe(409)
    for (const wrong of [
      { ...review, title: " " },
      { ...review, title: "a\nb" },
      { ...review, text: "" },
    ]) {
      expect((await snippets({ snippets: [wrong] })).status, JSON.stringify(wrong)).toBe(422)
    }
    expect((await snippets({ snippets: Array(51).fill(review) })).status).toBe(422)
    expect((await snippets()).body).toEqual(stored)
  })

  it("fit their record, however many and long they are", async () => {
    const most = Array(50).fill({ title: "\u6f22".repeat(80), text: "\u6f22".repeat(2000) })
    expect((await snippets({ snippets: most })).body.snippets).toEqual(most)
    expect((await snippets({ snippets: [] })).body.snippets).toEqual([])
  })
})

describe("settings for verifying", () => {
  const get = async (name: string) => (await server.call("GET", `/api/v1/config/${name}`)).body
  const set = (name: string, json: object) => server.call("PUT", `/api/v1/config/${name}`, { json })

  it("are kept, one by one, and refuse what can't be", async () => {
    expect(await get("verification")).toEqual({ enabled: true, auto_run: false })
    expect((await set("verification", { auto_run: true })).body).toEqual({ enabled: true, auto_run: true })
    expect((await set("verification", { enabled: false })).body).toEqual({ enabled: false, auto_run: true })
    expect(await get("verification-agent")).toEqual({ account_name: null })
    expect((await set("verification-agent", { account_name: "nobody" })).status).toBe(400)
    expect((await set("verification-agent", { account_name: "mock" })).body).toEqual({ account_name: "mock" })
    const none = { account_name: "__verification_none__" }
    expect((await set("verification-agent", none)).body).toEqual(none)
    expect((await set("preferred-verification-model", { model: "opus" })).body).toEqual({ model: "opus" })
    expect(await get("preferred-verification-model")).toEqual({ model: "opus" })
    expect(await get("max-verification-attempts")).toEqual({ attempts: 5 })
    for (const attempts of [0, 21, 1.5, null]) {
      expect((await set("max-verification-attempts", { attempts })).status).toBe(422)
    }
    expect((await set("max-verification-attempts", { attempts: 20 })).body).toEqual({ attempts: 20 })
    expect(await get("max-verification-attempts")).toEqual({ attempts: 20 })
    await set("verification", { enabled: true, auto_run: false })
    await set("preferred-verification-model", { model: null })
    await set("verification-agent", { account_name: null })
  })

  it("count for all sessions, after what a session says, and not at all where they are switched off", async () => {
    const { id } = (await server.call("POST", "/api/v1/sessions", { json: {} })).body
    const verification = `/api/v1/sessions/${id}/verification`
    const effective = async () => (await server.call("GET", verification)).body.effective
    await set("max-verification-attempts", { attempts: 7 })
    expect(await effective()).toMatchObject({ verify: false, verification_attempts: 7 })
    await set("verification", { auto_run: true })
    await set("verification-agent", { account_name: "mock" })
    await set("preferred-verification-model", { model: "small" })
    expect(await effective()).toMatchObject({
      ...{ verify: true, verification_agent: "mock", verification_model: "small" },
    })
    await server.call("PUT", verification, { json: { verify: false, verification_attempts: 2, consent: true } })
    expect(await effective()).toMatchObject({ verify: false, verification_attempts: 2 })
    await server.call("PUT", verification, { json: { verify: true, consent: true } })
    await set("verification", { enabled: false })
    expect(await effective()).toMatchObject({ verify: false, verification_attempts: 2 })
    await set("verification", { enabled: true, auto_run: false })
    await set("verification-agent", { account_name: null })
  })
})

describe("the role of an account", () => {
  const accounts = "/api/v1/accounts"
  const role = (name: string, role: string) => server.call("PUT", `${accounts}/${name}/role`, { json: { role } })
  const agent = async () => (await server.call("GET", "/api/v1/config/verification-agent")).body.account_name

  it("is to review for one of them at most, and for none once it is gone", async () => {
    for (const name of ["first", "second"]) {
      await server.call("POST", accounts, { json: { name, provider: "claude", api_key: "sk-ant-of-a-test" } })
    }
    expect((await role("FIRST", "VERIFICATION")).body).toMatchObject({ name: "first", role: "VERIFICATION" })
    expect(await agent()).toBe("first")
    await role("second", "VERIFICATION")
    const { body } = await server.call("GET", accounts)
    expect(body.accounts).toMatchObject([{ role: "CODING" }, { role: "VERIFICATION" }])
    expect((await role("first", "CODING")).status).toBe(200)
    expect(await agent()).toBe("second")
    await server.call("DELETE", `${accounts}/Second`)
    expect(await agent()).toBeNull()
    expect((await role("first", "TALKING")).status).toBe(422)
    expect((await role("nobody", "CODING")).body.error.code).toBe("account_not_found")
    await server.call("DELETE", `${accounts}/first`)
  })
})

describe("the commands of a project", () => {
  const project_path = "https://git.example.com/team/garden.git"
  const at = `/api/v1/config/project?project_path=${encodeURIComponent(project_path)}`
  const set = (json: object) => server.call("PUT", "/api/v1/config/project", { json: { project_path, ...json } })
  const commands = { lint_command: null, test_command: null, preview_command: null }
  const limits = { lint_timeout_seconds: null, test_timeout_seconds: null }
  const shown = { preview_port_mode: "auto", preview_port: null }
  const none = {
    ...{ project_path, project_type: null, setup_command: null, ...commands, ...limits, ...shown },
    ...{ instructions_paths: [], preferred_coding_agent: null },
  }

  it("are those of the repository, of which only what is named changes", async () => {
    expect((await server.call("GET", at)).body).toEqual(none)
    const repository = { repository: project_path, setup: "npm ci", checks: { build: "make" } }
    await server.call("PUT", "/api/v1/config/repositories", { json: { repositories: [repository] } })
    const before = { ...none, setup_command: "npm ci" }
    expect((await set({ lint_command: "make lint" })).body).toEqual({ ...before, lint_command: "make lint" })
    expect((await set({ test_command: "make test" })).body).toMatchObject({ lint_command: "make lint" })
    expect((await set({ lint_command: null })).body).toEqual({ ...before, test_command: "make test" })
    expect((await set({ test_command: "two\nlines" })).status).toBe(422)
    const { repositories } = (await server.call("GET", "/api/v1/config/repositories")).body
    expect(repositories).toMatchObject([{ ...repository, checks: { build: "make", test: "make test" } }])
    expect((await server.call("GET", "/api/v1/config/projects")).body).toEqual([
      { ...before, test_command: "make test" },
    ])
    expect((await server.call("DELETE", at)).body).toEqual({ deleted: true, project_path })
    expect((await server.call("GET", "/api/v1/config/projects")).body).toEqual([])
  })

  it("have time limits, which stay as they are where others change", async () => {
    const repository = { repository: project_path, checks: { test: "make test", limits_seconds: { build: 900 } } }
    await server.call("PUT", "/api/v1/config/repositories", { json: { repositories: [repository] } })
    expect((await set({ test_timeout_seconds: 600 })).body).toMatchObject({ ...limits, test_timeout_seconds: 600 })
    expect((await set({ lint_timeout_seconds: 60, test_command: null })).body).toEqual({
      ...none,
      ...{ lint_timeout_seconds: 60, test_timeout_seconds: 600 },
    })
    for (const wrong of [0, 3601, 1.5, "60"]) {
      const { status, body } = await set({ lint_timeout_seconds: wrong, test_command: "make all" })
      const said = JSON.stringify(body)
      expect([status, said]).toEqual([422, expect.stringContaining("a whole number of seconds from 1 to 3600")])
      expect(said).toContain("lint_timeout_seconds")
    }
    const stored = async () => (await server.call("GET", "/api/v1/config/repositories")).body.repositories[0].checks
    expect(await stored()).toEqual({ limits_seconds: { build: 900, lint: 60, test: 600 } })
    await set({ lint_timeout_seconds: null, test_timeout_seconds: null })
    expect(await stored()).toEqual({ limits_seconds: { build: 900 } })
    expect((await server.call("DELETE", at)).body).toEqual({ deleted: true, project_path })
  })

  it("have a port for the preview, which the mode manual takes", async () => {
    expect((await set({ preview_port_mode: "manual" })).body.error).toMatchObject({ code: "validation_error" })
    const manual = { preview_port_mode: "manual", preview_port: 5173 }
    expect((await set({ ...manual, preview_command: "npm run dev" })).body).toMatchObject(manual)
    expect((await set({ preview_port: null })).status).toBe(422)
    for (const wrong of [80, 65_536, 1.5, "5173"]) expect((await set({ preview_port: wrong })).status).toBe(422)
    expect((await set({ preview_port_mode: "disabled" })).body).toMatchObject({
      ...manual,
      preview_port_mode: "disabled",
    })
    const { repositories } = (await server.call("GET", "/api/v1/config/repositories")).body
    expect(repositories[0].preview).toEqual({ port_mode: "disabled", port: 5173 })
    await server.call("DELETE", at)
  })

  it("are in the preview of what its agents are told, with what they read first", async () => {
    const previews = async (query = "") => (await server.call("GET", `/api/v1/config/prompt-previews${query}`)).body
    await set({ instructions_paths: ["docs/GARDEN.md"], test_command: "make test", preferred_coding_agent: "mock" })
    await set({ lint_command: "make lint" })
    const { body } = await server.call("GET", at)
    expect(body).toMatchObject({ instructions_paths: ["docs/GARDEN.md"], preferred_coding_agent: "mock" })
    const { coding, verification } = await previews(`?project_path=${encodeURIComponent(project_path)}`)
    expect(coding).toContain("- `docs/GARDEN.md`\n\n# Checks")
    expect(coding).toContain("- `make lint`\n- `make test`\n\n# Task\n\n{task}")
    for (const part of ["{task}", "{summary}", "{commit}", "{diff}"]) expect(verification).toContain(part)
    expect((await previews()).coding).not.toContain("GARDEN")
    for (const bad of ["../x", "/etc/passwd"]) expect((await set({ instructions_paths: [bad] })).status).toBe(422)
    await server.call("DELETE", at)
  })
})

describe("a project's settings that are found", () => {
  const configure = (json: object) => server.call("POST", "/api/v1/config/project/autoconfigure", { json })
  const scripts = { test: "vitest run", start: "node main.js" }
  const files = { "package.json": JSON.stringify({ scripts }), "package-lock.json": "{}", "test_a.py": "" }

  it("are set where nobody has set them, and only told where somebody has", async () => {
    const { folder: project_path } = makeRepository(join(dirname(server.folder), "found"), files)
    const project = `/api/v1/config/project?project_path=${encodeURIComponent(project_path)}`
    const told = await configure({ project_path, apply: false })
    expect(told.body).toMatchObject({
      found: { project_type: "javascript", files: ["package.json"], setup_command: "npm ci" },
      ...{ changed: [], settings: { project_type: null, setup_command: null } },
    })
    expect((await server.call("GET", "/api/v1/config/projects")).body).toEqual([])
    const { body } = await configure({ project_path })
    expect(body.found.commands).toEqual({ test: "npm test", start: "npm start" })
    expect(body.changed).toEqual(["project_type", "setup_command"])
    expect((await server.call("GET", project)).body).toEqual(body.settings)
    expect(body.settings).toMatchObject({ project_type: "javascript", setup_command: "npm ci", test_command: null })
    const own = { project_type: "python", setup_command: "make setup", test_command: "make test" }
    await server.call("PUT", "/api/v1/config/project", { json: { project_path, ...own } })
    const again = await configure({ project_path })
    expect(again.body).toMatchObject({ found: { project_type: "python" }, changed: [], settings: own })
    expect(again.body.found.commands.test).toBe("python3 -m unittest discover -v")
    await server.call("DELETE", project)
  })

  it("are those of a folder of this machine", async () => {
    for (const project_path of ["https://git.example.com/team/garden.git", dirname(server.folder)]) {
      const { status, body } = await configure({ project_path })
      expect([status, body.error.code]).toEqual(
        project_path.startsWith("https") ? [422, "invalid_request"] : [400, "task_invalid"],
      )
    }
  })
})

describe("exported settings", () => {
  const key = "sk-ant-api03-of-an-export"

  it("come back as they were, and have no key", async () => {
    const other = await startServer()
    const ask = async (method: string, path: string, json?: object) =>
      (await server.call(method, `/api/v1${path}`, { json })).body
    await ask("POST", "/accounts", { name: "plain", provider: "mock" })
    await ask("PUT", "/config/mock-run-duration", { account_name: "plain", seconds: 2 })
    await ask("POST", "/accounts", { name: "keyed", provider: "claude", api_key: key, model: "opus" })
    await ask("PUT", "/config/provider-fallback-order", { order: ["keyed", "plain"] })
    await ask("PUT", "/config/verification-agent", { account_name: "plain" })
    await ask("PUT", "/config/cleanup", { cleanup_days: 3 })
    await ask("PUT", "/config/budget", { month_usd: 90 })
    const { text, body: config } = await server.call("GET", "/api/v1/config/export")
    expect(text).not.toContain(key)
    expect(config.accounts).toMatchObject([{ name: "keyed" }, { mock: { run_seconds: 2 } }])
    expect(config.budget).toEqual({ day_usd: null, month_usd: 90, day_tokens: null, month_tokens: null })
    const { status, body } = await other.call("POST", "/api/v1/config/import", { json: { config } })
    expect([status, body.accounts_without_key]).toEqual([200, ["keyed"]])
    const there = (await other.call("GET", "/api/v1/config/export")).body
    const withoutKeyed = config.accounts.filter(({ name }: { name: string }) => name !== "keyed")
    const limits = { ...config.limits, order: ["plain"] }
    expect(there).toEqual({ ...config, accounts: withoutKeyed, limits })
    expect((await other.call("POST", "/api/v1/config/import", { json: { config } })).body).toEqual(body)
    for (const wrong of [{}, { ...config, format: "other" }, { ...config, secret: 1 }]) {
      expect((await other.call("POST", "/api/v1/config/import", { json: { config: wrong } })).status).toBe(422)
    }
    // A configuration that passes the schema but is invalid changes nothing either.
    const twice = {
      ...config,
      cleanup: { ...config.cleanup, cleanup_days: 9 },
      limits: { ...limits, order: ["plain", "Plain"] },
    }
    expect((await other.call("POST", "/api/v1/config/import", { json: { config: twice } })).status).toBe(422)
    expect((await other.call("GET", "/api/v1/config/export")).body).toEqual(there)
    for (const name of ["plain", "keyed"]) await ask("DELETE", `/accounts/${name}`)
    await ask("PUT", "/config/budget", { month_usd: null })
    await other.close()
  })
})

describe("rules about limits", () => {
  it("can be read and changed where there are as many as there can be", async () => {
    const other = await startServer()
    const ask = (method: string, path: string, json?: object) => other.call(method, `/api/v1/config/${path}`, { json })
    await other.call("POST", "/api/v1/accounts", { json: { name: "plain", provider: "mock" } })
    const settings = Array(50).fill({ event: "weekly_usage", action: "notify", threshold: 80 })
    expect((await ask("PUT", "action-settings", { settings })).status).toBe(200)
    // Each of these requests would add two rules.
    expect((await ask("PUT", "provider-fallback-order", { order: ["plain"] })).status).toBe(422)
    expect((await ask("PUT", "usage-switch-threshold", { threshold: 70 })).status).toBe(422)
    expect((await ask("GET", "action-settings")).body.settings).toEqual(settings)
    expect((await ask("PUT", "action-settings", { settings: settings.slice(1) })).status).toBe(200)
    expect((await ask("PUT", "usage-switch-threshold", { threshold: 70 })).status).toBe(422)
    expect((await ask("PUT", "action-settings", { settings: settings.slice(2) })).status).toBe(200)
    expect((await ask("PUT", "provider-fallback-order", { order: ["plain"] })).body.order).toEqual(["plain"])
    await other.close()
  })
})

describe("rules for agents", () => {
  const rules = "/api/v1/config/permissions"
  const set = (json: unknown) => server.call("PUT", rules, { json })
  const deny = { tool: "write", path: "secret/**", effect: "deny" }

  it("are none, and then all that were set last", async () => {
    expect((await server.call("GET", rules)).body).toEqual({ rules: [], repositories: [], version: 0 })
    expect(await set({ rules: [deny], repositories: [] })).toMatchObject({ status: 200, body: { version: 1 } })
    expect((await server.call("GET", rules)).body).toEqual({ rules: [deny], repositories: [], version: 1 })
    expect(await set({ rules: [], repositories: [], version: 0 })).toMatchObject({ status: 409 })
    expect(await set({ rules: [{ tool: "write", effect: "perhaps" }], repositories: [] })).toMatchObject({
      status: 422,
    })
    expect(await set({ rules: Array(101).fill(deny), repositories: [] })).toMatchObject({ status: 422 })
    expect((await server.call("GET", rules)).body).toMatchObject({ rules: [deny], version: 1 })
  })

  it("hold for agents that would ask nothing, everywhere or in their repository alone", async () => {
    const here = makeRepository(join(dirname(server.folder), "ruled"))
    const repositories = [{ repository: `${here.folder}/`, rules: [{ ...deny, path: "docs/**" }] }]
    await set({ rules: [deny], repositories })
    const knobs = { files: { "secret/a.txt": "a", "docs/b.txt": "b", "c.txt": "c" } }
    const work = async (repository?: string) => {
      const json = { project_path: repository }
      const { id } = (await server.call("POST", "/api/v1/sessions", { json })).body
      const task = { coding_agent: "mock", task_description: `mock: ${JSON.stringify(knobs)}` }
      const { body } = await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json: task })
      expect((await server.ended(body.task_id)).status).toBe("completed")
      const { events } = (await server.call("GET", `/api/v1/sessions/${id}/events?limit=1000`)).body
      const refused = events.filter(({ type }: { type: string }) => type === "agent_refused")
      const started = events.find(({ type }: { type: string }) => type === "agent_turn_started")
      return { refused: refused.length, rules: started.rules.length, mode: started.mode }
    }
    expect(await work()).toEqual({ refused: 1, rules: 1, mode: "bypass" })
    expect(await work(here.folder)).toEqual({ refused: 2, rules: 2, mode: "bypass" })
    await set({ rules: [], repositories: [] })
  })
})
