import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { serveHere } from "../../faults/in-process.ts"
import { startServer, temporaryFolder } from "../../faults/processes.ts"
import { freePort } from "../../free-port.ts"
import { npmStart } from "./npm-start.ts"

it("says what to do, without a stack, where its data can't be written", async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, "file"), "")
  for (const data of [join(folder.path, "file"), join(folder.path, "file/data"), "/proc/switchyard/data"]) {
    const server = startServer(data, "http://127.0.0.1:9")
    expect(await server.ended).toEqual({ code: 1, signal: null })
    expect(server.output()).toContain("Set SWITCHYARD_DATA to a folder")
    expect(server.output()).not.toMatch(/^ +at /m)
  }
})

it("lets no other user of the machine read what it keeps, even in a folder that was there and is open to all", async () => {
  await using folder = await temporaryFolder()
  const data = join(folder.path, "data")
  await mkdir(data)
  await chmod(data, 0o755)
  const mask = process.umask(0o022)
  await using running = await serveHere({ folder: data }).finally(() => process.umask(mask))
  expect(await fetch(`${running.server.url}/health`)).toMatchObject({ status: 200 })
  const names = await readdir(data)
  expect(names).toEqual(expect.arrayContaining(["records.sqlite", "records.sqlite-wal", "projects", "blobs"]))
  for (const name of names) expect([name, (await stat(join(data, name))).mode & 0o077]).toEqual([name, 0])
})

it("goes on where nobody reads any more what it prints", async () => {
  const port = await freePort()
  const NODE_OPTIONS = "--import data:text/javascript,setInterval(()=>console.log('more'),5).unref()"
  await using server = await npmStart({ PORT: String(port), NODE_OPTIONS })
  server.child.stdout.destroy()
  server.child.stderr.destroy()
  await expect.poll(() => server.child.exitCode !== null || isHealthy(port)).toBe(true)
  server.child.kill("SIGINT")
  expect(await server.ended).toEqual([0, null])
})

async function isHealthy(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health`)).ok
  } catch {
    return false
  }
}
