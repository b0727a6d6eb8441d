import { spawn } from "node:child_process"
import { once } from "node:events"
import { livingProcesses } from "@switchyard/runner/processes/process-table"
import { describe, expect, it } from "vitest"
import { needs } from "../../needs.ts"

describe("the living processes", () => {
  it("are there with their parents, names and environments, and no ended one that nobody has waited for", async () => {
    const script = "sleep 0 & exec sleep 1000"
    const child = spawn("/bin/sh", ["-c", script], { env: { PATH: process.env.PATH, SPOKEN: "é" }, stdio: "ignore" })
    const found = async () =>
      (await livingProcesses()).filter(({ pid, parent }) => pid === child.pid || parent === child.pid)
    await expect.poll(async () => (await found()).map(({ name }) => name)).toEqual(["sleep"])
    const [sleeping] = await found()
    expect(sleeping).toMatchObject({ pid: child.pid, parent: process.pid, uid: process.getuid?.() })
    expect(Buffer.from(sleeping?.environment ?? "", "latin1").toString()).toContain("SPOKEN=é\0")
    child.kill()
    await once(child, "exit")
    expect(await found()).toEqual([])
  })

  it(
    "are there with their user and all of its groups",
    needs(process.getuid?.() === 0 ? undefined : "this user isn't root"),
    async () => {
      const as = ["--reuid=65534", "--regid=65534", "--groups=4711,4712", "sleep", "1000"]
      const child = spawn("/usr/bin/setpriv", as, { stdio: "ignore" })
      const found = async () => (await livingProcesses()).find(({ pid, name }) => pid === child.pid && name === "sleep")
      await expect.poll(found).toMatchObject({ uid: 65534, groups: [4711, 4712] })
      child.kill()
      await once(child, "exit")
    },
  )
})
