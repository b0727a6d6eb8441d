import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { systemClock } from "@switchyard/core/time"
import { startProgram } from "@switchyard/runner/processes/program"
import { openSupervisor } from "@switchyard/runner/processes/supervisor"
import { locate } from "@switchyard/runner/programs/locate"
import { confinementMode, openConfinement } from "@switchyard/runner/sandbox/confinement"
import { seatbeltProfile } from "@switchyard/runner/sandbox/seatbelt"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openPassable, tried } from "../../hostile/agent.ts"
import { openWorkshop } from "../agents/workshop.ts"
import { openDepot } from "../runner-process.ts"
import { confinement, needsSandbox } from "./confined.ts"

describe("the setting", () => {
  it("is off by default, but on where agents run as other users and the machine can", () => {
    expect(confinementMode(undefined, undefined)).toBe("off")
    expect(confinementMode(undefined, { uid: 1, gid: 1 })).toBe("auto")
    expect(confinementMode("require", undefined)).toBe("require")
    expect(() => confinementMode("on", undefined)).toThrow("must be off, auto or require")
  })

  it("runs programs as they are where there is no sandbox, or refuses to, as it says", async () => {
    const program = { file: "/bin/true", args: [] }
    const place = { cwd: "/", writable: [], readable: [] }
    const broken = { bwrap: "/bin/false", perl: "/usr/bin/perl" }
    for (const mode of ["off", "auto"] as const) {
      expect((await openConfinement({ mode, ...broken })).confine(place, program)).toEqual(program)
    }
    const required = await openConfinement({ mode: "require", ...broken })
    expect(() => required.confine(place, program)).toThrow("this machine doesn't support one")
  })
})

it("says why a task fails that would run without the sandbox that is required", async () => {
  await using depot = await openDepot()
  const path = join(depot.folder, "path")
  mkdirSync(path)
  for (const name of ["node", "git", "perl", "sh", "env", "mkfifo"]) {
    const found = await locate(name, process.env.PATH ?? "")
    if (found) symlinkSync(found.file, join(path, name))
  }
  const runner = depot.start({}, { env: { PATH: path, SWITCHYARD_AGENT_SANDBOX: "require" } })
  runner.run(await depot.create({}))
  expect(await depot.seen("run_failed")).toMatchObject({
    message: expect.stringMatching(/this machine doesn't support one/),
  })
})

describe("an agent in a sandbox", needsSandbox, () => {
  it("does its task", async () => {
    await using workshop = await openWorkshop({ confinement })
    const { outcome } = await workshop.work({ files: { "made.txt": "made\n" }, orphans: 1 })
    expect([outcome.type, workshop.reported]).toEqual(["completed", []])
  })

  it("has its own files, processes and user, its git and the system, and nothing else", async () => {
    await using depot = await openPassable()
    // A sandbox always has the folders of the product and of the path's programs.
    const places = [import.meta.dirname, process.execPath, ...(process.env.PATH ?? "").split(":")]
    const ours = places.map((path) => path.split("/").slice(0, 3).join("/"))
    const script = `ls -A ${depot.folder}; ls -d /home/* /root/* /tmp/* 2>&- | grep -vxF '${ours.join("\n")}'; ls /proc | grep -c '^[0-9]*$'
      cat ${depot.folder}/records.sqlite; touch /usr/written; kill -9 ${process.pid}
      git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m mine; git log --format=%s -1
      node -p 'os.userInfo().uid === process.getuid()'; touch "$HOME/home" /tmp/here && echo written`
    const said = (await tried(depot, script, { sandbox: "require" })).split("\n").filter(Boolean)
    expect(said.slice(0, 3)).toEqual(["homes", "programs", "projects"])
    expect(Number(said[3])).toBeLessThan(12)
    expect(said.slice(4, 7).map((line) => line.replace(/^.*: /, ""))).toEqual([
      "No such file or directory",
      "Read-only file system",
      "No such process",
    ])
    expect(said.slice(7)).toEqual(["mine", "true", "written"])
  })
})

describe("a program in a sandbox", needsSandbox, () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp("/var/tmp/confined-")
  })
  afterAll(() => rm(folder, { recursive: true }))

  async function start(script: string) {
    let heard = ""
    const supervisor = await openSupervisor((await locate("perl", process.env.PATH ?? ""))?.file)
    writeFileSync(join(folder, "script"), script)
    const place = { cwd: folder, writable: [folder], readable: [] }
    const confined = confinement.confine(place, { file: "/bin/bash", args: ["script"] })
    const about = { cwd: folder, env: { PATH: process.env.PATH ?? "" }, rows: 24, cols: 80, piped: false, folder }
    const shown = (bytes: Uint8Array) => {
      heard += Buffer.from(bytes).toString()
    }
    const program = await startProgram(
      { ...confined, ...about, family: "test" },
      { clock: systemClock, supervisor, shown },
    )
    return { program, says: (text: string) => expect.poll(() => heard).toContain(text) }
  }

  it("has its terminal, with its keys and its jobs, and ends as it wants to", async () => {
    const script = `trap 'echo interrupted' INT; set -m; sleep 1000 & jobs; kill %1
      stty size; echo ready; read line; echo "heard $line" >/dev/tty; exit 7`
    const { program, says } = await start(script)
    await says("ready")
    await says("24 80")
    await says("Running")
    program.type("\u0003")
    await says("interrupted")
    program.type("hello\r")
    await says("heard hello")
    expect(await program.exited).toEqual({ exitCode: 7, signal: null })
  })

  it("hears that it is to end, and is ended with all that it started", async () => {
    const { program, says } = await start(
      "trap 'echo asked to end; exit 3' TERM; (setsid sleep 1000 &); echo ready; while :; do sleep 0.1; done",
    )
    await says("ready")
    expect(await program.kill()).toEqual([])
    await says("asked to end")
    expect(await program.exited).toEqual({ exitCode: 3, signal: null })
  })
})

describe("the profile for sandbox-exec", () => {
  it("allows what the place says and nothing else, whatever is in a path", () => {
    const profile = seatbeltProfile({ cwd: "/w", writable: ["/w", '/h"o\\me'], readable: ["/tools"] })
    expect(profile).toMatch(/^\(deny default\)$/m)
    expect(profile).toContain('(allow file-read* file-write* (subpath "/w") (subpath "/h\\"o\\\\me"))')
    expect(profile).toMatch(/^\(allow file-read\* .*\(subpath "\/tools"\)\)$/m)
    expect(profile.match(/file-write\*/g)).toHaveLength(2)
  })
})
