import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock as clock } from "@switchyard/core/time"
import { startProgram } from "@switchyard/runner/processes/program"
import { openSupervisor } from "@switchyard/runner/processes/supervisor"
import { createTypedKeys } from "@switchyard/runner/processes/unread-keys"
import { locate } from "@switchyard/runner/programs/locate"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { needs } from "../../needs.ts"

const PATH = process.env.PATH ?? ""
const supervisor = await openSupervisor((await locate("perl", PATH))?.file)
const noSupervisor = supervisor ? undefined : "a supervisor takes Linux and Perl"

describe("keys that a program leaves unread", needs(noSupervisor), () => {
  let folder = ""
  // Each test has its own folder: a file `go` of an earlier test would end the next test's program.
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "unread-keys-"))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it.each([
    ["all of them are read", "stty raw -echo; echo ready; head -c 3 >/dev/null", "abc", 0],
    ["some come behind what it takes", "stty raw -echo; echo ready; head -c 3 >/dev/null", "abcé", 2],
    ["a line comes behind the last one", "echo ready; read line", "exit\nls\n", 3],
    ["a line isn't ended", "echo ready; read line", "exit\nl", 1],
    ["it reads none", "echo ready; until [ -e go ]; do :; done; rm go", "abc", 3],
  ])("are counted at its end where %s", async (_, script, keys, unread) => {
    let printed = ""
    const ready = Promise.withResolvers<void>()
    const shown = (bytes: Uint8Array) => {
      printed += Buffer.from(bytes)
      if (printed.includes("ready")) ready.resolve()
    }
    const program = await startProgram(
      {
        ...{ file: "/bin/sh", args: ["-c", script], cwd: folder, env: { PATH } },
        ...{ rows: 24, cols: 80, piped: false, folder, family: "test" },
      },
      { clock, shown, supervisor },
    )
    await ready.promise
    program.type(keys)
    // A terminal that echoes shows the keys that have arrived.
    if (!script.startsWith("stty raw -echo")) await expect.poll(() => printed).toContain(keys.split("\n")[0])
    await writeFile(join(folder, "go"), "")
    await program.exited
    expect(program.unreadBytes).toBe(unread)
    expect(printed).not.toContain("unread")
  })
})

describe("the last input of a program", () => {
  it("has text unread where a person typed some of it, not where a terminal answered, or keys ended the program", () => {
    const typed = createTypedKeys()
    typed.add({ sizeBytes: 5, isText: true })
    typed.add({ sizeBytes: 10, isText: false })
    expect([0, 1, 10, 11, 15, 99].map((bytes) => typed.hasTextIn(bytes))).toEqual([
      ...[false, false, false],
      ...[true, true, true],
    ])
  })
})
