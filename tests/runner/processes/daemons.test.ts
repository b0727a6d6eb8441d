import { spawnSync } from "node:child_process"
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@switchyard/core/time"
import { type Program, startProgram } from "@switchyard/runner/processes/program"
import { openSupervisor } from "@switchyard/runner/processes/supervisor"
import { locate } from "@switchyard/runner/programs/locate"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { needs } from "../../needs.ts"
import { type Daemon, daemons, newTag, processesOf, quietDaemon, running, survivors } from "../daemons.ts"

/** `DAEMON_ROUNDS=100` runs more rounds. */
const ROUNDS = Number(process.env.DAEMON_ROUNDS ?? 2)
const rounds = Array.from({ length: ROUNDS }, (_, round) => round + 1)

const PATH = process.env.PATH ?? ""
const supervisor = await openSupervisor((await locate("perl", PATH))?.file)
const noSupervisor = supervisor ? undefined : "a supervisor takes Linux and Perl"

let folder: string
beforeAll(async () => {
  await mkdir(join(homedir(), ".cache"), { recursive: true })
  folder = await mkdtemp(join(homedir(), ".cache/switchyard-daemons-"))
})
afterAll(() => rm(folder, { recursive: true }))

async function start(script: string, how: { supervised: boolean }): Promise<Program> {
  return startProgram(
    {
      ...{ file: "/bin/sh", args: ["-c", script], cwd: folder, env: { PATH, HOME: folder } },
      ...{ rows: 24, cols: 80, piped: false, folder, family: "test" },
    },
    { clock: systemClock, shown: () => {}, supervisor: how.supervised ? supervisor : undefined },
  )
}

const scriptOf = (all: Daemon[]) => all.map(({ script }) => script).join("\n")

describe("a program with a supervisor", needs(noSupervisor), () => {
  it.each(rounds)("is ended with all twelve daemons that it started (round %i)", async () => {
    const all = daemons()
    const program = await start(`${scriptOf(all)}\nsleep 1000`, { supervised: true })
    await running(all)
    expect(await program.kill()).toEqual([])
    expect(await survivors(all)).toEqual([])
    expect((await program.exited).signal).not.toBeNull()
  })

  it("takes them along when it ends by itself, and ends as it would have", async () => {
    const all = daemons()
    const program = await start(`${scriptOf(all)}\nread _line; exit 7`, { supervised: true })
    await running(all)
    program.type("\r")
    expect(await program.exited).toEqual({ exitCode: 7, signal: null })
    expect(await survivors(all)).toEqual([])
  })

  it.each(["SIGHUP", "SIGTERM"] as const)("is ended with its daemon by a single %s to its supervisor", async (name) => {
    const all = [quietDaemon()]
    const program = await start(`${scriptOf(all)}\nsleep 1000`, { supervised: true })
    await running(all)
    process.kill(program.pid, name)
    // Signal 15 ended the program or, if it took more than two seconds, signal 9 did.
    expect([15, 9]).toContain((await program.exited).signal)
    expect(await survivors(all)).toEqual([])
  })

  it("takes them along when it killed its supervisor", async () => {
    const all = daemons()
    const program = await start(`${scriptOf(all)}\nread _line; kill -9 $PPID`, { supervised: true })
    await running(all)
    program.type("\r")
    await program.exited
    expect(await program.kill()).toEqual([])
    expect(await survivors(all)).toEqual([])
  })

  it("has no open files but its own terminal", async () => {
    const tag = newTag()
    const other = await start("sleep 1000", { supervised: true })
    const script = `sleep 1000.${tag} & wait`
    const program = await start(script, { supervised: true })
    await running([{ tag, script }])
    const sleeping = (await processesOf(`sleep 1000.${tag}`)).concat(program.pid)
    const open = await Promise.all(sleeping.map((pid) => readdir(`/proc/${pid}/fd`)))
    for (const files of open) expect(files.toSorted()).toEqual(["0", "1", "2"])
    await Promise.all([program.kill(), other.kill()])
  })

  it("takes none along that a person or another agent started in its folder", async () => {
    const theirs = newTag()
    // The daemon's environment is empty, so only its parent distinguishes it from the agent's daemons.
    spawnSync("/bin/sh", ["-c", `env -i setsid -f sleep 1000.${theirs} </dev/null >/dev/null 2>&1`], { cwd: folder })
    const [other] = daemons().slice(5)
    if (!other) throw new Error("There is none.")
    const another = await start(`${other.script}\nsleep 1000`, { supervised: true })
    await running([other])
    const program = await start("sleep 1000", { supervised: true })
    expect(await program.kill()).toEqual([])
    const person = await processesOf(theirs)
    expect(person).toHaveLength(1)
    for (const pid of person) process.kill(pid)
    expect(await survivors([other])).not.toEqual([])
    expect(await another.kill()).toEqual([])
    expect(await survivors([other])).toEqual([])
  })
})

describe("a program without a supervisor", () => {
  /**
   * Daemons that can't be found: they leave their folder with an empty environment, or change their process faster than
   * a look takes.
   */
  const HOPELESS = ["empties it and goes to the root", "empties it and is another process at every moment"]
  const found = () => daemons().filter(({ what }) => !HOPELESS.includes(what))

  it("is ended with all daemons that stayed in its folders", async () => {
    const all = found()
    const program = await start(`${scriptOf(all)}\nsleep 1000`, { supervised: false })
    await running(all)
    expect(await program.kill()).toEqual([])
    expect(await survivors(all)).toEqual([])
  })

  it("takes none along that a person or another agent started in its folder", async () => {
    const [other] = daemons().slice(1)
    if (!other) throw new Error("There is none.")
    const another = await start(`${other.script}\nsleep 1000`, { supervised: false })
    const program = await start("sleep 1000", { supervised: false })
    const theirs = newTag()
    const env = { PATH, HOME: "/home/ada", USER: "ada" }
    const open = `setsid -f sleep 1000.${theirs} <$0 >/dev/null 2>&1`
    spawnSync("/bin/sh", ["-c", open, join(import.meta.dirname, "daemons.test.ts")], { cwd: folder, env })
    await running([other])
    expect(await program.kill()).toEqual([])
    const person = await processesOf(theirs)
    expect(person).toHaveLength(1)
    for (const pid of person) process.kill(pid)
    expect(await survivors([other])).not.toEqual([])
    expect(await another.kill()).toEqual([])
  })
})
