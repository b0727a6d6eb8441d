import { readAgentIsolation } from "@switchyard/functions/local/agent-isolation"
import { describe, expect, it, vi } from "vitest"
import { needs } from "../../needs.ts"
import { confinement } from "../../runner/sandbox/confined.ts"

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
