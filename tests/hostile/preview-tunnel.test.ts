import { execFile } from "node:child_process"
import { stat } from "node:fs/promises"
import { dirname } from "node:path"
import { promisify } from "node:util"
import { openTunnel } from "@switchyard/runner/gate/tunnel"
import { describe, expect, it } from "vitest"
import { needs } from "../needs.ts"
import { isRoot } from "./agent.ts"

const VICTIM = { uid: 2_013_400_001, gid: 300_000_001 }
const ATTACKER = { uid: 2_013_400_002, gid: VICTIM.gid }

/** Connects to a socket as this user. Resolves to `connected` or the error's code. */
async function connecting(path: string, user: { uid: number; gid: number }): Promise<string> {
  const script = `require("net").connect(process.argv[1]).on("connect", () => { console.log("connected"); process.exit() })
    .on("error", ({ code }) => console.log(code))`
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script, path], { ...user, cwd: "/", env: {} })
  return stdout.trim()
}

describe("the socket of a preview", needs(isRoot ? undefined : "this user isn't root"), () => {
  it("lets in the previewed program's user alone, though everybody can find it", async () => {
    const tunnel = await openTunnel(() => 0, VICTIM)
    try {
      for (const path of [tunnel.inside, tunnel.outside]) expect(await connecting(path, ATTACKER)).toBe("EACCES")
      expect(await connecting(tunnel.outside, VICTIM)).toBe("EACCES")
      expect(await connecting(tunnel.inside, VICTIM)).toBe("connected")
    } finally {
      await tunnel.close()
    }
    await expect(stat(dirname(tunnel.inside))).rejects.toMatchObject({ code: "ENOENT" })
  })

  it("is the runner's own where the program runs as the runner's user", async () => {
    const tunnel = await openTunnel(() => 0)
    try {
      expect(await connecting(tunnel.inside, ATTACKER)).toBe("EACCES")
    } finally {
      await tunnel.close()
    }
  })
})
