import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { startServer, temporaryFolder } from "../../faults/processes.ts"

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
