import { spawnSync } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, statfs, writeFile } from "node:fs/promises"
import { homedir, totalmem } from "node:os"
import { dirname, join } from "node:path"
import { systemClock } from "@switchyard/core/time"
import { type CommandEnd, runCommand } from "@switchyard/runner/gate/run-command"
import { runInWorkdir } from "@switchyard/runner/gate/workdir"
import { openControlGroup } from "@switchyard/runner/processes/control-group"
import { openSupervisor } from "@switchyard/runner/processes/supervisor"
import { locate } from "@switchyard/runner/programs/locate"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { needs } from "../../needs.ts"
import { never } from "../../settings.ts"

const PATH = process.env.PATH ?? ""
const perl = (await locate("perl", PATH))?.file
const supervisor = await openSupervisor(perl)

let folder: string
let disk: string
let isMounted: boolean
beforeAll(async () => {
  await mkdir(join(homedir(), ".cache"), { recursive: true })
  folder = await mkdtemp(join(homedir(), ".cache/switchyard-limits-"))
  disk = join(folder, "disk")
  await mkdir(disk)
})
afterAll(async () => {
  if (isMounted) spawnSync("umount", ["-l", disk])
  await rm(folder, { recursive: true })
})

const report = (error: unknown) => {
  throw error
}

function run(script: string, started = supervisor): Promise<CommandEnd> {
  const program = { file: "/bin/sh", args: ["-c", script], cwd: folder, env: { PATH, HOME: folder } }
  const deps = { clock: systemClock, supervisor: started, report }
  return runCommand(deps, { ...program, folder, family: "limits" }, { limitMs: null, signal: never })
}

describe("a program", () => {
  it.each([
    ["with", supervisor],
    ["without", undefined],
  ])("%s a supervisor writes no file and has no memory that would leave others nothing", async (_, started) => {
    const { output } = await run("ulimit -f; ulimit -d", started)
    const [blocks = 0, kib = 0] = output.trim().split("\n").map(Number)
    const { bavail, bsize } = await statfs(folder)
    expect(kib * 1024).toBeLessThanOrEqual(Math.max(8 * 2 ** 30, 0.75 * totalmem()))
    expect(kib * 1024).toBeGreaterThanOrEqual(8 * 2 ** 30 - 1024)
    expect(blocks * 512).toBeGreaterThanOrEqual(2 ** 30 - 512)
    expect(blocks * 512).toBeLessThanOrEqual(Math.max(2 ** 30, 0.6 * bavail * bsize))
  })
})

/** Mounts a disk in memory, so that the flood is quick and doesn't fill the machine's own disk. */
const mounted = () => spawnSync("mount", ["-t", "tmpfs", "-o", "size=32m", "switchyard", disk]).status === 0

describe(
  "a check's command that fills the disk",
  needs(process.getuid?.() === 0 ? undefined : "this user isn't root"),
  () => {
    it.each([
      [
        "and goes on is ended before the server has no room left",
        "i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero >$HOME/.flood$i; done 2>/dev/null",
        null,
      ],
      ["and fails itself at once is known for that", "fallocate -l 30000000 $HOME/.flood", 3],
    ])("%s, says so, and gives back what it took", async (_, flood, exitCode) => {
      isMounted ||= mounted()
      // Some machines don't let root mount anything.
      if (!isMounted) return
      const home = join(disk, "home")
      await mkdir(join(home, "project"), { recursive: true })
      const env = { PATH, HOME: home }
      const place = { cwd: join(home, "project"), home, env, user: undefined, needs: [], root: join(home, "project") }
      const confinement = async () => ({ confine: (_: unknown, program: { file: string; args: string[] }) => program })
      const deps = { clock: systemClock, supervisor, report, family: "limits", folder, confinement }
      const program = { file: "/bin/sh", args: ["-c", `${flood}; exit 3`] }
      const end = await runInWorkdir(deps as unknown as Parameters<typeof runInWorkdir>[0], program, place, {
        network: false,
        limitMs: null,
        signal: never,
      })
      expect(end).toMatchObject({ exitCode, filledDisk: true, isTooLate: false })
      expect(end.output).toContain("because the disk was nearly full")
      expect(await readdir(home)).toEqual([])
    })
  },
)

describe("a control group", () => {
  it("is made beside the group of a service, where its parent shares memory out", async () => {
    const root = join(folder, "unified")
    await mkdir(join(root, "a.slice/b.service/below"), { recursive: true })
    await writeFile(join(root, "cgroup.subtree_control"), "cpu memory pids\n")
    await writeFile(join(root, "a.slice/cgroup.subtree_control"), "cpu memory\n")
    await writeFile(join(root, "a.slice/b.service/cgroup.subtree_control"), "cpu\n")
    const own = "0::/a.slice/b.service/below\n"
    const group = await openControlGroup({ root, own, memoryBytes: 1e9 })
    expect(group).toEqual({ processes: join(root, "a.slice/switchyard-agents/cgroup.procs"), memoryBytes: 1e9 })
    expect(await readFile(join(root, "a.slice/switchyard-agents/memory.max"), "utf8")).toBe("1000000000")
    expect(await openControlGroup({ root, own: "0::/\n" })).toBeUndefined()
    expect(await openControlGroup({ root, own: "" })).toBeUndefined()
    expect(await openControlGroup({ root: join(folder, "none"), own })).toBeUndefined()
  })
})

const real = await openControlGroup({ name: `switchyard-test-${process.pid}`, memoryBytes: 96 * 2 ** 20 })
const why = real && perl ? undefined : "it takes Perl, and a control group for memory that this user may make"

describe("the programs of one control group", needs(why), () => {
  afterAll(() => rmdir(dirname(real?.processes ?? "")))

  it("have its memory between them, however little each takes", async () => {
    const within = await openSupervisor(perl, real?.processes)
    const { output } = await run(`perl -e '${SIX_TIMES_40_MB}'; cat /proc/self/cgroup`, within)
    const [killed, ...groups] = output.split("\n")
    expect(killed).toBe("4")
    expect(groups.join()).toContain("switchyard-test-")
  })
})

/**
 * Prints how many of the first four processes that end were killed. At most two fit into the memory, so the last two
 * remain.
 */
const SIX_TIMES_40_MB = `for (1 .. 6) {
  my $pid = fork;
  if (!$pid) { my $x = "a" x 40_000_000; sleep 60; exit }
  push @all, $pid }
for (1 .. 4) { waitpid -1, 0; $killed++ if $? == 9 }
print "$killed\\n"; kill KILL => @all`
