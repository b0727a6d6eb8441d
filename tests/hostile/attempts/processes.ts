import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { getPriority, setPriority, totalmem } from "node:os"
import { join } from "node:path"
import type { Attempt } from "./place.ts"

const OPEN_FILES = 40
const PIECE = 2 ** 30

const ofRunner = (what: string, read: (folder: string) => unknown): Attempt => ({
  name: `${what} of the runner`,
  run: (at) => read(`/proc/${at.runner}`),
})

const signalled = (name: NodeJS.Signals | 0): Attempt => ({
  name: `signal ${name} to the runner`,
  run: (at) => process.kill(at.runner, name),
})

export const processAttempts: Attempt[] = [
  ofRunner("the environment", (folder) => fs.readFileSync(join(folder, "environ"), "utf8")),
  ofRunner("the memory", (folder) => fs.closeSync(fs.openSync(join(folder, "mem"), "r"))),
  ofRunner("the memory, to write to it,", (folder) => fs.closeSync(fs.openSync(join(folder, "mem"), "r+"))),
  ofRunner("the map of the memory", (folder) => fs.readFileSync(join(folder, "maps"), "utf8")),
  ofRunner("the open files", (folder) => fs.readdirSync(join(folder, "fd"))),
  ofRunner("the folder", (folder) => fs.readlinkSync(join(folder, "cwd"))),
  ofRunner("the root", (folder) => fs.readdirSync(join(folder, "root"))),
  ofRunner("the messages", (folder) => fs.closeSync(fs.openSync(join(folder, "fd/0"), "r"))),
  ofRunner("the answers", (folder) => fs.closeSync(fs.openSync(join(folder, "fd/1"), "w"))),
  ofRunner("the system call", (folder) => fs.readFileSync(join(folder, "syscall"), "utf8")),
  ofRunner("the stack", (folder) => fs.readFileSync(join(folder, "stack"), "utf8")),
  ofRunner("the limits on memory, to have it killed first,", (folder) =>
    fs.writeFileSync(join(folder, "oom_score_adj"), "1000"),
  ),
  {
    name: "any open file of the runner by its number",
    run(at) {
      const found = Array.from({ length: OPEN_FILES }, (_, fd) => `/proc/${at.runner}/fd/${fd}`).filter((path) => {
        try {
          fs.closeSync(fs.openSync(path, "r"))
          return true
        } catch {
          return false
        }
      })
      return found.join()
    },
    isNothing: (got) => got === "",
  },
  {
    name: "the environment of any process of another user",
    run() {
      return fs
        .readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .flatMap((pid) => {
          try {
            if (fs.statSync(`/proc/${pid}`).uid === process.getuid?.()) return []
            return [fs.readFileSync(`/proc/${pid}/environ`, "latin1").slice(0, 100)]
          } catch {
            return []
          }
        })
        .filter((text) => text !== "")
        .join()
    },
    isNothing: (got) => got === "",
  },
  {
    name: "a secret in any command line",
    run: () =>
      fs
        .readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => {
          try {
            return fs.readFileSync(`/proc/${pid}/cmdline`, "latin1")
          } catch {
            return ""
          }
        })
        .filter((line) => line.includes("sk-REAL"))
        .join(),
    isNothing: (got) => got === "",
  },
  signalled(0),
  signalled("SIGTERM"),
  signalled("SIGKILL"),
  signalled("SIGSTOP"),
  signalled("SIGUSR1"),
  {
    name: "SIGTERM to all processes of the runner's group",
    run(at) {
      // This signal may end the runner's process for the agent's files. The runner starts another.
      process.kill(-Number(statOf(at.runner)[2]), "SIGTERM")
      return statOf(at.runner)[0]
    },
    isNothing: (got) => got === "S" || got === "R",
  },
  {
    name: "SIGKILL to the process with the number 1",
    run: () => process.kill(1, "SIGKILL"),
  },
  {
    name: "the runner slowed down",
    run(at) {
      setPriority(at.runner, 19)
      return getPriority(at.runner)
    },
  },
  { name: "root by setuid", run: () => process.setuid?.(0) },
  { name: "root by seteuid", run: () => process.seteuid?.(0) },
  { name: "root's group by setgid", run: () => process.setgid?.(0) },
  { name: "root's group by setgroups", run: () => process.setgroups?.([0]) },
  { name: "another session's group", run: (at) => process.setgid?.(fs.statSync(join(at.otherProject, "..")).gid) },
  {
    name: "root by a program that is set to run as root",
    run() {
      const tried = ["/usr/bin/su", "/usr/bin/sudo", "/usr/bin/pkexec", "/bin/su"].filter((file) => fs.existsSync(file))
      const said = tried.map((file) => {
        const args = file.endsWith("su") ? ["root", "-c", "id -u"] : ["-n", "id", "-u"]
        return spawnSync(file, args, { encoding: "utf8", input: "\n" }).stdout.trim()
      })
      return said.join("")
    },
    isNothing: (got) => !got.includes("0"),
  },
  {
    name: "root by its own copy of a shell that is set to run as another user",
    run() {
      fs.copyFileSync("/bin/sh", "own-sh")
      fs.chmodSync("own-sh", 0o6755)
      return spawnSync(join(process.cwd(), "own-sh"), ["-p", "-c", "id -u"], { encoding: "utf8" }).stdout.trim()
    },
    isNothing: (got) => got !== "0" && got !== "",
  },
  {
    name: "the terminal of anybody else",
    run() {
      const others = fs.readdirSync("/dev/pts").filter((name) => /^\d+$/.test(name) && name !== ownTerminal())
      return others
        .filter((name) => {
          try {
            fs.closeSync(
              fs.openSync(`/dev/pts/${name}`, fs.constants.O_RDWR | fs.constants.O_NOCTTY | fs.constants.O_NONBLOCK),
            )
            return true
          } catch {
            return false
          }
        })
        .join()
    },
    isNothing: (got) => got === "",
  },
  {
    name: "a capability, or the way to one",
    run() {
      const status = fs.readFileSync("/proc/self/status", "utf8")
      const set = [...status.matchAll(/^Cap(Prm|Eff|Amb|Inh):\s*(\S+)$/gm)].filter(
        ([, , mask]) => !/^0+$/.test(mask ?? ""),
      )
      return set.map(([line]) => line).join()
    },
    isNothing: (got) => got === "",
  },
  {
    name: "more processes than its share, by starting ever more,",
    run() {
      const script = `while (@all < 6000) { my $pid = fork; last unless defined $pid; if (!$pid) { sleep 60; exit } push @all, $pid }
        print scalar @all; kill KILL => @all; 1 while wait > 0`
      return spawnSync("perl", ["-e", script], { encoding: "utf8" }).stdout
    },
    isNothing: (got) => Number(got) > 0 && Number(got) < 4096,
  },
  {
    name: "the processor before others",
    run() {
      setPriority(-5)
      return getPriority()
    },
  },
  {
    name: "a higher limit of its own processes",
    run() {
      const script = "ulimit -u unlimited 2>/dev/null; ulimit -u"
      return spawnSync("/bin/bash", ["-c", script], { encoding: "utf8" }).stdout.trim()
    },
    isNothing: (got) => got === "4096",
  },
  {
    name: "a file that leaves nobody else room",
    run() {
      const file = fs.openSync("flood", "w")
      try {
        const { bavail, bsize } = fs.statfsSync(".")
        fs.ftruncateSync(file, Math.max(2 ** 31, bavail * bsize))
      } finally {
        fs.closeSync(file)
        fs.rmSync("flood")
      }
    },
  },
  {
    name: "more memory in one process than the machine can spare",
    run() {
      const { length } = Array.from({ length: Math.ceil(totalmem() / PIECE) + 8 }).reduce<ArrayBuffer[]>((taken) => {
        try {
          // The memory is reserved, but not used.
          return [...taken, new ArrayBuffer(PIECE)]
        } catch {
          return taken
        }
      }, [])
      return length * PIECE
    },
    isNothing: (got) => Number(got) <= Math.max(8 * PIECE, 0.75 * totalmem()),
  },
  {
    name: "to be ended after the server where memory runs out",
    run() {
      fs.writeFileSync("/proc/self/oom_score_adj", "0")
      return fs.readFileSync("/proc/self/oom_score_adj", "utf8")
    },
    // The test evaluates this as root. In most containers, root lacks CAP_SYS_RESOURCE and can't enforce a score.
    isNothing: () => (ownCapabilities() & CAP_SYS_RESOURCE) === 0n,
  },
  {
    name: "a way out of its limits of memory and files",
    run() {
      const script = "for each in f d; do ulimit -$each unlimited 2>/dev/null && echo $each; done"
      return spawnSync("/bin/bash", ["-c", script], { encoding: "utf8" }).stdout.trim()
    },
    isNothing: (got) => got === "",
  },
  {
    name: "a way to new rights by a program's mode",
    run: () => /^NoNewPrivs:\s*(\d)$/m.exec(fs.readFileSync("/proc/self/status", "utf8"))?.[1],
    isNothing: (got) => got === "1",
  },
]

const CAP_SYS_RESOURCE = 1n << 24n

function ownCapabilities(): bigint {
  return BigInt(`0x${/^CapEff:\s*(\S+)$/m.exec(fs.readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0}`)
}

/** Returns the number of this process's terminal, from the bits of a device's minor number in proc(5). */
function ownTerminal(): string {
  const [, , , , device = 0] = fs
    .readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
    .map(Number)
  return String((device & 0xff) | ((device >>> 12) & 0xfff00))
}

/** Returns the fields after a process's name in proc(5): state, parent, group, session, terminal and so on. */
function statOf(pid: number | "self"): string[] {
  return fs
    .readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
}
