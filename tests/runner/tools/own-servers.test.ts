import { randomUUID } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { PermissionPolicy } from "@switchyard/core/agents/permissions/decide"
import type { SetupServer } from "@switchyard/core/agents/setup/read-servers"
import { systemClock } from "@switchyard/core/time"
import { openSetupServers } from "@switchyard/runner/serving/own-setup"
import { openToolEndpoint } from "@switchyard/runner/tools/endpoint"
import { ruledServerTools } from "@switchyard/runner/tools/ruled-tools"
import { serveTools } from "@switchyard/runner/tools/serve-tools"
import { agentTool } from "@switchyard/runner/tools/tool"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as z from "zod"
import { never } from "../../settings.ts"
import { processesWith } from "../agents/workshop.ts"
import { confinement, needsSandbox } from "../sandbox/confined.ts"

let folder: string
const family = randomUUID()
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "switchyard-servers-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const program = new URL("../../fixtures/mcp/server.mjs", import.meta.url).pathname
const commandServer = (name: string, behaviour: string): SetupServer => ({
  ...{ name, transport: "command", command: process.execPath, args: [program, behaviour] },
  env: { SECRET: `secret-of-${name}` },
})

function open(servers: SetupServer[]) {
  const warnings: string[] = []
  const context = { record: async () => {}, warn: (text: string) => warnings.push(text), signal: never }
  const hosts = { check: async () => true }
  const checks = { confinement: async () => confinement }
  const deps = { clock: systemClock, family, folder, host: process.env, hosts, checks }
  const opened = openSetupServers(deps as never, context as never, servers)
  const call = async (name: string, text: string, signal = never) =>
    String(await (await opened.tools())[name]?.call({ text }, { signal }))
  return { opened, warnings, call }
}

describe("an owner's own MCP servers", () => {
  it("run as commands with their own variables, and end with the task", async () => {
    const { opened, warnings, call } = open([commandServer("notes", "works"), commandServer("mail", "works")])
    expect(Object.keys(await opened.tools())).toEqual(["notes__echo", "mail__echo"])
    expect(await call("notes__echo", "Hello")).toBe("Hello")
    const variables = await call("notes__echo", "env")
    expect(variables).toContain("secret-of-notes")
    expect(variables).not.toContain("secret-of-mail")
    expect(await processesWith(`SWITCHYARD_PROCESS=${family}`)).not.toEqual([])
    await opened[Symbol.asyncDispose]()
    expect(await processesWith(`SWITCHYARD_PROCESS=${family}`)).toEqual([])
    expect(warnings).toEqual([])
  })

  it("are reached by URL with their headers", async () => {
    await using endpoint = await openToolEndpoint({ report: () => {} })
    const whoami = agentTool({
      ...{ title: "Who am I", description: "Tells the name.", readOnly: true, input: z.object({}) },
      call: async () => "web",
    })
    using address = endpoint.open(serveTools({ tools: { whoami }, signal: never, report: () => {} }))
    const headers = { authorization: `Bearer ${address.token}` }
    const { opened, call } = open([{ name: "web", transport: "url", url: address.bareUrl, headers }])
    expect(await call("web__whoami", "")).toBe("web")
    await opened[Symbol.asyncDispose]()
  })

  it("are sent no headers after a redirect", async () => {
    const seen: (string | undefined)[] = []
    const elsewhere = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.end()
    }).listen(0)
    const to = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`
    const redirects = createServer((_, response) => response.writeHead(307, { location: to }).end()).listen(0)
    const url = `http://127.0.0.1:${(redirects.address() as AddressInfo).port}/`
    const { opened, warnings } = open([{ name: "web", transport: "url", url, headers: { authorization: "secret" } }])
    expect(await opened.tools()).toEqual({})
    expect(warnings).toHaveLength(1)
    expect(seen).toEqual([])
    await opened[Symbol.asyncDispose]()
    for (const server of [elsewhere, redirects]) server.close()
  })

  it("need permission as the mode and the rules say, whatever they say about themselves", async () => {
    const { opened } = open([commandServer("evil", "lies")])
    const asked: string[] = []
    const people = {
      permit: async ({ name }: { name: string }) => {
        asked.push(name)
        return undefined
      },
    }
    const effectOf = async (policy: PermissionPolicy) => {
      const rules = { policy: () => policy, people: people as never, timeout: () => never }
      const tools = ruledServerTools(await opened.tools(), rules)
      const called = tools.evil__switchyard__spawn?.call({ text: "done" }, { signal: never })
      return called?.catch((error) => error.message)
    }
    expect(await effectOf({ mode: "ask", rules: [] })).toBe("No person has allowed it yet.")
    expect(await effectOf({ mode: "accept_edits", rules: [] })).toBe("No person has allowed it yet.")
    expect(asked).toEqual(["mcp__evil__switchyard__spawn", "mcp__evil__switchyard__spawn"])
    expect(await effectOf({ mode: "plan", rules: [] })).toContain("plan mode")
    expect(await effectOf({ mode: "bypass", rules: [{ tool: "mcp", effect: "deny" }] })).toBe("A rule forbids this.")
    expect(await effectOf({ mode: "bypass", rules: [] })).toBe("done")
    await opened[Symbol.asyncDispose]()
  })
})

describe("a hostile MCP server", () => {
  it("can't take another tool's name, or send endless tools, descriptions and schemas", async () => {
    const { opened } = open([commandServer("evil", "lies")])
    const tools = await opened.tools()
    expect(Object.keys(tools)).toHaveLength(64)
    for (const [name, { description, readOnly }] of Object.entries(tools)) {
      expect(name).toMatch(/^evil__[A-Za-z0-9_-]{1,38}$/)
      expect(description.length).toBeLessThan(2100)
      expect(readOnly).toBe(false)
    }
    await opened[Symbol.asyncDispose]()
  })

  it("is left out if it doesn't start, and the others work", async () => {
    const missing = { ...commandServer("missing", "works"), command: "no-such-program" } as SetupServer
    const { opened, warnings } = open([commandServer("exits", "exits"), missing, commandServer("good", "works")])
    expect(Object.keys(await opened.tools())).toEqual(["good__echo"])
    expect(warnings).toEqual(
      [
        "The agent is working without your MCP server exits: it doesn't answer as an MCP server.",
        "The agent is working without your MCP server missing: its command no-such-program isn't installed.",
      ].toSorted(() => (warnings[0]?.includes("missing") ? -1 : 1)),
    )
    await opened[Symbol.asyncDispose]()
  })

  it("may print anything, and ask the client for anything", async () => {
    const { opened, call } = open([commandServer("prints", "prints"), commandServer("asks", "asks")])
    expect(await call("prints__echo", "a")).toBe("a")
    expect(await call("asks__echo", "b")).toBe("b")
    await opened[Symbol.asyncDispose]()
  })

  it.each(["floods", "pings"])("is ended if it %s without end", async (behaviour) => {
    const { opened, call } = open([commandServer("endless", behaviour)])
    await expect(call("endless__echo", "x")).rejects.toThrow("didn't answer")
    await expect(call("endless__echo", "x")).rejects.toThrow("didn't answer")
    await expect.poll(() => processesWith(`SWITCHYARD_PROCESS=${family}`)).toEqual([])
    await opened[Symbol.asyncDispose]()
  })

  it("returns at most 100,000 characters", async () => {
    const { opened, call } = open([commandServer("long", "long")])
    expect(await call("long__echo", "x")).toHaveLength(100_000)
    await opened[Symbol.asyncDispose]()
  })

  it("is left out if its list of tools has no end", async () => {
    const { opened, warnings } = open([commandServer("pages", "pages")])
    expect(await opened.tools()).toEqual({})
    expect(warnings).toEqual([expect.stringContaining("without your MCP server pages")])
    await opened[Symbol.asyncDispose]()
  })

  it("has no schema of its answers compiled", async () => {
    const { opened, call } = open([commandServer("promises", "promises")])
    expect(await call("promises__echo", "a")).toBe("a")
    await opened[Symbol.asyncDispose]()
  })

  it("that hangs is left when the call is cancelled", async () => {
    const { opened, call } = open([commandServer("hangs", "hangs")])
    await opened.tools()
    const stop = new AbortController()
    const called = call("hangs__echo", "x", stop.signal)
    stop.abort(new Error("stopped"))
    await expect(called).rejects.toThrow()
    await opened[Symbol.asyncDispose]()
    expect(await processesWith(`SWITCHYARD_PROCESS=${family}`)).toEqual([])
  })

  it("reads no file of its neighbours, of the person or of the agent", needsSandbox, async () => {
    const { opened, call } = open([commandServer("curious", "works"), commandServer("other", "works")])
    await opened.tools()
    await writeFile(join(folder, "servers/other/token"), "CANARY")
    await writeFile(join(folder, "worktree-file"), "CANARY")
    for (const path of [join(folder, "servers/other/token"), join(folder, "worktree-file"), "/proc/1/environ"])
      expect(await call("curious__echo", `read ${path}`)).not.toMatch(/CANARY|secret-of-other/)
    await opened[Symbol.asyncDispose]()
  })
})
