import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import type { Attempt, Surroundings } from "./place.ts"

const inData = (name: string) => (at: Surroundings) => join(at.data, name)

/** Operations on a file or folder. Each throws if it isn't allowed. */
const ways = {
  list: (path: string) => fs.readdirSync(path),
  read: (path: string) => fs.readFileSync(path, "latin1").slice(0, 200),
  "write to": (path: string) => fs.closeSync(fs.openSync(path, "r+")),
  "append to": (path: string) => fs.closeSync(fs.openSync(path, "a")),
  "make a file in": (path: string) => fs.writeFileSync(join(path, "planted"), "planted", { flag: "wx" }),
  "make a folder in": (path: string) => fs.mkdirSync(join(path, "planted")),
  "make a link in": (path: string) => fs.symlinkSync("/etc", join(path, "planted")),
  rename: (path: string) => fs.renameSync(path, `${path}.old`),
  remove: (path: string) => fs.rmSync(path, { recursive: true }),
  "change the mode of": (path: string) => fs.chmodSync(path, 0o777),
  "change the owner of": (path: string) => fs.chownSync(path, process.getuid?.() ?? 0, process.getgid?.() ?? 0),
  cut: (path: string) => fs.truncateSync(path, 0),
  "link to, and read,": (path: string) => {
    fs.rmSync("link-to-it", { force: true })
    fs.symlinkSync(path, "link-to-it")
    return fs.readFileSync("link-to-it", "latin1").slice(0, 200)
  },
  "make a hard link to": (path: string) => fs.linkSync(path, `hard-link-${Date.now()}`),
} satisfies Record<string, (path: string) => unknown>

type Way = keyof typeof ways

function on(what: string, path: (at: Surroundings) => string, ...tried: Way[]): Attempt[] {
  return tried.map((way) => ({ name: `${way} ${what}`, run: (at) => ways[way](path(at)) }))
}

export const fileAttempts: Attempt[] = [
  ...on("the data folder", (at) => at.data, "list", "make a file in", "make a folder in", "make a link in"),
  ...on("the data folder", (at) => at.data, "rename", "change the mode of", "change the owner of"),
  ...on("the records", inData("records.sqlite"), "read", "write to", "append to", "cut", "link to, and read,"),
  ...on("the records", inData("records.sqlite"), "make a hard link to", "rename", "remove"),
  ...on("the records' log", inData("records.sqlite-wal"), "read", "append to"),
  ...on("the master key", inData("master.key"), "read", "write to", "remove", "link to, and read,"),
  ...on("the blobs", inData("blobs"), "list", "make a file in"),
  ...on("the journals", inData("repositories"), "list", "make a file in"),
  ...on("the runner's notes", (at) => join(at.data, "runner", at.sid), "list", "make a file in", "rename"),
  ...on("the folder of all projects", inData("projects"), "list", "make a folder in"),
  ...on("the folder of all homes", inData("homes"), "list", "make a folder in"),
  ...on("another account's home", (at) => at.otherHome, "list", "make a file in", "rename"),
  ...on("a file in another account's home", (at) => join(at.otherHome, "secret"), "read", "append to"),
  ...on("another session's project", (at) => at.otherProject, "list", "make a file in", "rename"),
  ...on("a file of another session", (at) => join(at.otherProject, "secret"), "read", "append to"),
  ...on("the programs that the runner starts", inData("programs/codex"), "append to", "rename", "remove"),
  ...on("root's own folder", (at) => at.secret, "list", "make a file in", "change the mode of"),
  ...on("root's own file", (at) => join(at.secret, "kept"), "read", "cut", "link to, and read,"),
  ...on("the machine's passwords", () => "/etc/shadow", "read", "append to"),
  ...on("the machine's users", () => "/etc/passwd", "append to"),
  ...on("root's home", () => "/root", "make a file in"),
  ...on("what is loaded into every program", () => "/etc", "make a file in"),
  ...on("root's schedule", () => "/etc/cron.d", "make a file in"),
  ...on("the kernel's handler of crashes", () => "/proc/sys/kernel/core_pattern", "write to"),
  ...on("the machine's memory", () => "/dev/mem", "read"),
  {
    name: "make a device in the worktree",
    run() {
      const { status, stderr } = spawnSync("mknod", ["disk", "b", "8", "0"], { encoding: "utf8" })
      if (status !== 0) throw new Error(stderr)
    },
  },
  {
    name: "mount something over the runner's folder",
    run(at) {
      const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "none", join(at.data, "runner")], {
        encoding: "utf8",
      })
      if (status !== 0) throw new Error(stderr)
    },
  },
  {
    name: "leave its root for the machine's by /proc/1/root",
    run: (at) => fs.readdirSync(`/proc/1/root${at.secret}`),
  },
]
