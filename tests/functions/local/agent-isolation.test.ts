import { createConfinesChecks, readAgentIsolation } from "@switchyard/functions/local/agent-isolation"
import { describe, expect, it, vi } from "vitest"
import { needs } from "../../needs.ts"
import { confinement } from "../../runner/sandbox/confined.ts"

describe("whether checks are confined", () => {
  const agents = { user: "server" as const, sandbox: null, network: "machine" as const, required: false }

  it("is found out once, and again after the program failed", async () => {
    let asked = 0
    const confines = createConfinesChecks(async () => {
      if (++asked === 1) throw new Error("spawn EAGAIN")
      return { agents, confines_checks: true }
    })
    await expect(Promise.all([confines(), confines()])).rejects.toThrow("EAGAIN")
    expect(asked).toBe(1)
    expect(await Promise.all([confines(), confines()])).toEqual([true, true])
    expect(await confines()).toBe(true)
    expect(asked).toBe(2)
  })
})

describe("what a server says of its agents' isolation", () => {
  it("is what its runners will do", async () => {
    vi.stubEnv("SWITCHYARD_AGENT_SANDBOX", "require")
    expect(await readAgentIsolation({ agents: { user: undefined, sandbox: "require" } })).toEqual({
      user: "server",
      sandbox: confinement.means ?? null,
      network: confinement.means === "bubblewrap" ? "listed" : "machine",
      required: true,
    })
  })

  it("is nothing where nothing was set, and no program is asked", async () => {
    const agents = { user: undefined, sandbox: undefined }
    expect(await readAgentIsolation({ agents })).toEqual({
      user: "server",
      sandbox: null,
      network: "machine",
      required: false,
    })
  })

  const notRoot = process.getuid?.() === 0 ? undefined : "this user isn't root"
  it("fails where the user isn't there, so that the server doesn't start", needs(notRoot), async () => {
    vi.stubEnv("SWITCHYARD_AGENT_USER", "nobody-at-all")
    const asked = readAgentIsolation({ agents: { user: "nobody-at-all", sandbox: undefined } })
    await expect(asked).rejects.toThrow("doesn't exist or is root")
  })
})
