import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { makeRepository, type TestRepository } from "./agents/repository.ts"
import { startServer, type TestServer } from "./server.ts"

/** Lists and calls the session's tools. */
const CALLS = `for (const [method, params] of [
  ["tools/list", {}],
  ["tools/call", { name: "notes__echo", arguments: { text: "called-it" } }],
]) {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  console.log(await (await fetch(process.env.SWITCHYARD_TOOLS_URL, { method: "POST", headers, body })).text())
}`

let around: string
let home: string
let seen: string
let server: TestServer
let repository: TestRepository

beforeAll(async () => {
  around = await mkdtemp(join(tmpdir(), "switchyard-setups-"))
  home = join(around, "home")
  seen = join(around, "seen")
  // Prints the contents of its home, adds to its instructions and skills, and fails.
  const looks =
    'cat .claude/CLAUDE.md .claude/extra.md .claude/skills/*/*; ls -a .claude; echo "Mine." >> .claude/CLAUDE.md; mkdir -p .claude/skills/planted; echo planted > .claude/skills/planted/SKILL.md; env; node "$CALLS"'
  mkdirSync(join(around, "bin"))
  writeFileSync(join(around, "calls.mjs"), CALLS)
  writeFileSync(
    join(around, "bin/claude"),
    `#!/bin/sh\nCALLS="${join(around, "calls.mjs")}"; cd "$HOME"; { ${looks}; } > "${seen}" 2>&1; exit 1\n`,
    {
      mode: 0o755,
    },
  )
  server = await startServer({ env: { HOME: home } })
  const account = { name: "work", provider: "claude", api_key: "sk-ant-canary" }
  expect((await server.call("POST", "/api/v1/accounts", { json: account })).status).toBe(201)
  repository = makeRepository(join(dirname(server.folder), "theirs"), { "README.md": "Theirs\n" })
  put(".claude/CLAUDE.md", "Use tabs. @extra.md\n")
  put(".claude/extra.md", "Imported.\n")
  put(".claude/skills/deploy/SKILL.md", "---\nname: deploy\nhooks: {}\n---\nDeploy.\n")
  put(".claude/settings.json", '{"env":{"A":"CANARY"}}')
})
// Runners inherit the environment of the test that starts them.
beforeEach(() => {
  vi.stubEnv("HOME", home)
  vi.stubEnv("PATH", `${join(around, "bin")}:${process.env.PATH}`)
  vi.stubEnv("SWITCHYARD_AGENT_SANDBOX", "off")
})
afterAll(async () => {
  await server.close()
  await rm(around, { recursive: true, force: true })
})

function put(path: string, content: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), content)
}

const shown = async () => (await server.call("GET", "/api/v1/agent-setups")).body.setups
const allow = (digest: string) => server.call("PUT", "/api/v1/agent-setups/claude", { json: { digest } })

/** Returns what the program saw in its home, followed by the notices of its run. */
async function look(mode = "ask"): Promise<string> {
  const json = { coding_agent: "work", mode, kind: "agent", user_prompt: "Look.", repository: repository.folder }
  const begun = await server.call("POST", "/v1/runs", { json })
  expect(begun.status, begun.text).toBe(201)
  await server.ended(begun.body.run_id)
  const path = `/api/v1/sessions/${begun.body.workspace_id}/events?event_types=agent_notice`
  return readFileSync(seen, "utf8") + (await server.call("GET", path)).text
}

describe("a person's own setup", () => {
  it("is shown before anything uses it", async () => {
    expect(await shown()).toMatchObject([
      {
        cli: "claude",
        state: "new",
        items: [
          { kind: "instructions", path: ".claude/CLAUDE.md", files: 2, size_bytes: 30 },
          { kind: "skill", path: ".claude/skills/deploy", files: 1 },
        ],
        omitted: [{ path: ".claude/skills/deploy/SKILL.md", reason: "without the header's “hooks”" }],
      },
    ])
    expect(await look()).not.toContain("Use tabs.")
  })

  it("is copied to the agent's home in every mode after the consent to exactly this content", async () => {
    const [{ digest }] = await shown()
    expect(await allow("0".repeat(64))).toMatchObject({ status: 422, body: { error: { code: "invalid_request" } } })
    expect(await allow(digest)).toMatchObject({ status: 200, body: { state: "allowed" } })
    for (const mode of ["ask", "plan", "accept_edits"]) {
      const found = await look(mode)
      expect(found).toContain("Use tabs.")
      expect(found).toContain("Imported.")
      expect(found).toContain("Deploy.")
      expect(found).not.toMatch(/CANARY|hooks|settings\.json|Mine|planted/)
    }
    expect(readFileSync(join(home, ".claude/CLAUDE.md"), "utf8")).toBe("Use tabs. @extra.md\n")
  })

  it("isn't used after a change, until the person consents again", async () => {
    put(".claude/CLAUDE.md", "Use spaces.\n")
    expect(await shown()).toMatchObject([{ state: "changed" }])
    const found = await look()
    expect(found).toContain("has changed since your consent")
    expect(found).not.toMatch(/Use |Deploy|Mine/)
    await allow((await shown())[0].digest)
    expect(await look()).toContain("Use spaces.")
  })

  it("has MCP servers, whose tools agents call as their mode allows, without their secrets", async () => {
    const args = [new URL("../fixtures/mcp/server.mjs", import.meta.url).pathname]
    const notes = { command: process.execPath, args, env: { TOKEN: "secret-of-notes" } }
    put(".claude.json", JSON.stringify({ mcpServers: { notes, missing: { command: "no-such-program" } } }))
    expect(await look("plan")).toContain("Tool notes__echo not found")
    await allow((await shown())[0].digest)
    const planned = await look("plan")
    expect(planned).toContain("notes__echo")
    expect(planned).toContain("it may read but not change anything")
    expect(planned).toContain("without your MCP server missing: its command no-such-program isn't installed")
    expect(planned).not.toMatch(/called-it|secret-of-notes/)
    await server.core().consents.give("local", repository.folder, {})
    const called = await look("bypass")
    expect(called).toContain("called-it")
    expect(called).not.toContain("secret-of-notes")
    rmSync(join(home, ".claude.json"))
    await allow((await shown())[0].digest)
  })

  it("is gone from the agent's home when the consent is withdrawn", async () => {
    const { consents: all } = (await server.call("GET", "/api/v1/consents")).body
    const consents = all.filter(({ kind }: { kind: string }) => kind === "setup")
    expect(consents).toMatchObject([
      { kind: "setup", cli: "claude", files: [".claude/CLAUDE.md", ".claude/skills/deploy"] },
    ])
    expect((await server.call("DELETE", `/api/v1/consents/${consents[0].id}`)).status).toBe(200)
    expect(await look()).not.toMatch(/Use |Deploy|Mine/)
    rmSync(join(home, ".claude"), { recursive: true })
    expect(await shown()).toEqual([])
  })

  it("is read by no server that several people use", async () => {
    const shared = await startServer({
      env: { HOME: home, AUTH_MODE: "token", ADMIN_TOKEN: "the-token-of-whoever-installed-it-all" },
    })
    const headers = { authorization: "Bearer the-token-of-whoever-installed-it-all" }
    const answer = await shared.call("GET", "/api/v1/agent-setups", { headers })
    expect(answer.body.error.code).toBe("invalid_request")
    await shared.close()
  })
})
