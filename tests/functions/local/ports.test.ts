import { mkdtemp } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { switchyard } from "../../cli/spawn.ts"
import { removeFolder } from "../../remove-folder.ts"
import { npmStart } from "./npm-start.ts"

let folder: string
let env: { PORT: string; XDG_CONFIG_HOME: string }
const other = createServer((socket) => socket.destroy())
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ports-"))
  env = { PORT: "", XDG_CONFIG_HOME: join(folder, "config") }
  // An error means that another program already listens on the port, which is enough for the test.
  await new Promise<void>((resolve) => other.once("error", () => resolve()).listen(3000, "127.0.0.1", resolve))
})
afterAll(async () => {
  other.close()
  await removeFolder(folder, { kill: false })
})

const start = (name: string, more: Record<string, string> = {}) =>
  npmStart({ ...env, SWITCHYARD_DATA: join(folder, name), ...more })
const cli = (...args: string[]) => switchyard(args, { env: { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME } })

describe("npm start where another program has port 3000", () => {
  it("takes the next free port, where the command line finds it", async () => {
    await using server = await start("one")
    const [, port] = await server.printed(
      /listening on http:\/\/127\.0\.0\.1:(\d+)\nPort 3000 is in use by another program\.\n/,
    )
    expect(Number(port)).toBeGreaterThan(3000)
    const { code, stdout } = await cli("status")
    expect([code, stdout]).toEqual([0, expect.stringContaining("server healthy")])
    await server.stop()
    expect(await cli("status")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("http://127.0.0.1:3000 can't"),
    })
  })

  it("starts no second server on the same data, and says where the first is", async () => {
    await using server = await start("one")
    const [, url] = await server.printed(/listening on (\S+)\n/)
    await server.printed(/in use by another program/)
    expect((await cli("status")).code).toBe(0)
    await using second = await start("one")
    await second.ended
    expect(second.child.exitCode).toBe(1)
    expect(second.output()).toBe(`Switchyard is already running at ${url}/. To start another server, set PORT.\n`)
  })

  it("leaves the choice between several servers to the person", async () => {
    await using one = await start("one")
    await one.printed(/in use by another program/)
    await using two = await start("two")
    await two.printed(/in use by another program/)
    const urls = [one, two].map((server) => /listening on (\S+)\n/.exec(server.output())?.[1] ?? "")
    await expect.poll(() => cli("status").then(({ stderr }) => stderr)).toContain("Several servers are running.")
    const { code, stderr } = await cli("run", "A page")
    expect(code).toBe(2)
    for (const url of urls) expect(stderr).toContain(url)
    expect((await cli("status", "--url", urls[1] ?? "")).code).toBe(0)
  })

  it("fails on the port that PORT names", async () => {
    await using server = await start("one", { PORT: "3000" })
    await server.ended
    expect(server.child.exitCode).toBe(1)
    expect(server.output()).toContain("The port is in use.")
  })
})
