import { randomUUID } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@switchyard/core/time"
import { killTree, membersOf } from "@switchyard/runner/processes/process-tree"
import { startProgram } from "@switchyard/runner/processes/program"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { processesWith } from "../agents/workshop.ts"

let folder: string
/** Part of the environment of every process that these tests start. */
const tree = randomUUID()
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "programs-"))
})
afterAll(() => rm(folder, { recursive: true }))

const clock = systemClock
const run = (script: string, piped = false, shown: (bytes: Uint8Array) => void = () => {}) =>
  startProgram(
    {
      ...{ file: "/bin/sh", args: ["-c", script], cwd: folder, env: { PATH: process.env.PATH ?? "", TREE: tree } },
      ...{ rows: 24, cols: 80, piped, folder, family: "test" },
    },
    { clock, shown },
  )

/** Starts a program. Resolves once the program has written `word` to its terminal. */
async function saying(script: string, word: string) {
  let heard = ""
  let said = () => {}
  const ready = new Promise<void>((resolve) => {
    said = resolve
  })
  const program = await run(script, false, (bytes) => {
    heard += Buffer.from(bytes).toString()
    if (heard.includes(word)) said()
  })
  await ready
  return program
}

describe("ending a program", () => {
  it("ends what ignores every polite signal", async () => {
    const program = await saying("trap '' TERM INT HUP; echo ready; while :; do sleep 1; done", "ready")
    expect(await killTree({ pid: program.pid, mark: "none" }, { clock, politeMs: 100 })).toEqual([])
    // An exit code of 0 would wrongly mean success.
    expect(await program.exited).toEqual({ exitCode: null, signal: 9 })
    expect(await membersOf({ pid: program.pid, mark: "none" })).toEqual([])
  })

  it.each([
    ["left its session", "setsid sleep 1000 & echo ready; wait"],
    ["lost its parent", "(setsid sh -c 'sleep 1000 & sleep 1000' &); echo ready; sleep 1000"],
    ["is stopped", "sh -c 'kill -STOP $$; sleep 1000' & echo ready; wait"],
    ["outlives it", "setsid sleep 1000 & echo ready"],
    ["forks on and on", "f() { sleep 0.01; setsid sh -c 'sleep 1000' & f; }; f & echo ready; wait"],
  ])("ends what %s", async (_what, script) => {
    const program = await saying(script, "ready")
    expect(await program.kill()).toEqual([])
    await program.exited
    // Search by the environment, which `kill` doesn't use.
    expect(await processesWith(`TREE=${tree}`)).toEqual([])
  })

  it("leaves everybody else alone", async () => {
    const [one, other] = await Promise.all([
      saying("echo ready; sleep 1000", "ready"),
      saying("echo ready; cat", "ready"),
    ])
    await one.kill()
    expect(await membersOf({ pid: other.pid, mark: "none" })).toContain(other.pid)
    await other.kill()
  })
})

describe("a program with pipes", () => {
  it("has its terminal as controlling terminal, and its protocol apart from it", async () => {
    let shown = ""
    const program = await run("tty <&2 >&2; echo to-people >&2; cat; echo bye", true, (bytes) => {
      shown += Buffer.from(bytes).toString()
    })
    program.pipes?.write("hello\n")
    program.pipes?.end()
    const heard: Uint8Array[] = []
    for await (const chunk of program.pipes?.output ?? []) heard.push(chunk)
    expect(await program.exited).toEqual({ exitCode: 0, signal: null })
    expect(Buffer.concat(heard).toString()).toBe("hello\nbye\n")
    expect(shown).toMatch(/^\/dev\/pts\/\d+\r\nto-people\r\n$/)
  })

  it("loses nothing of a megabyte that it writes right before it exits, forty times", async () => {
    for (let time = 0; time < 40; time++) {
      const program = await run("head -c 1000000 /dev/zero; echo end", true)
      let size = 0
      for await (const chunk of program.pipes?.output ?? []) size += chunk.length
      await program.exited
      expect(size).toBe(1_000_004)
    }
  })

  it("hears what was written before it could hear, two hundred times", async () => {
    for (let time = 0; time < 200; time++) {
      const program = await run("cat", true)
      program.pipes?.write("early\n")
      program.pipes?.end()
      const heard: Uint8Array[] = []
      for await (const chunk of program.pipes?.output ?? []) heard.push(chunk)
      expect(Buffer.concat(heard).toString()).toBe("early\n")
      await program.exited
    }
  })

  it("ends its output when it died before it could open its pipes", async () => {
    const supervisor = { command: () => ({ file: "/bin/false", args: [], env: {} }) }
    const options = { file: "/bin/true", args: [], cwd: folder, env: {}, rows: 24, cols: 80, folder, family: "test" }
    const program = await startProgram({ ...options, piped: true }, { clock, shown: () => {}, supervisor })
    expect(await Array.fromAsync(program.pipes?.output ?? [])).toEqual([])
    expect((await program.exited).exitCode).toBe(1)
  })

  it("ends its output when it could not even be started", async () => {
    const program = await startProgram(
      {
        file: join(folder, "nothing"),
        args: [],
        cwd: folder,
        env: {},
        rows: 24,
        cols: 80,
        piped: true,
        folder,
        family: "test",
      },
      { clock, shown: () => {} },
    )
    const heard: Uint8Array[] = []
    for await (const chunk of program.pipes?.output ?? []) heard.push(chunk)
    expect(heard).toEqual([])
    expect((await program.exited).exitCode).toBe(127)
  })
})
