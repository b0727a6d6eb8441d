import { spawn } from "node:child_process"
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { arch } from "node:os"
import { join } from "node:path"
import { readAll } from "@switchyard/core/storage/blobs"
import { createFileBlobs } from "@switchyard/core/storage/files"
import { locate } from "@switchyard/runner/programs/locate"
import { saveAgentState } from "@switchyard/runner/project/agent-state"
import { openFilesProcess } from "@switchyard/runner/sandbox/files-process"
import { describe, expect, it, onTestFinished } from "vitest"
import { needs } from "../needs.ts"
import { removeFolder } from "../remove-folder.ts"
import { cases, never as signal } from "../settings.ts"
import { isRoot } from "./agent.ts"

// An agent's program exchanges its own folders for links while the runner saves and writes there.

const AGENT = { uid: 2_013_300_000, gid: 300_000_001 }
const SECRET = "not for agents, whoever is faster"
const FOLDERS = 20
const ROUNDS = cases({ usual: 20, deep: 2000 })
/** Number of the system call renameat2, which depends on the architecture. */
const EXCHANGE = arch() === "x64" ? 316 : 276

const perl = await locate("perl", process.env.PATH ?? "")
const why = isRoot ? (perl ? undefined : "there is no Perl") : "this user isn't root"

/**
 * Creates a home with an agent's folders, each beside a link to a folder of root. Starts an agent that exchanges them
 * endlessly.
 */
function race(): { home: string; secret: string; stores: string } {
  const root = mkdtempSync("/var/tmp/switchyard-race-")
  chmodSync(root, 0o755)
  const [home, secret, stores] = ["home", "secret", "stores"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [home, secret, stores]) mkdirSync(folder, { mode: 0o700 })
  writeFileSync(join(secret, "memory"), SECRET, { mode: 0o600 })
  mkdirSync(join(home, "sessions"))
  for (let n = 0; n < FOLDERS; n++) {
    const own = join(home, "sessions", `own${n}`)
    mkdirSync(own)
    writeFileSync(join(own, "memory"), "own")
    symlinkSync(secret, join(home, "sessions", `link${n}`))
    for (const path of [own, join(own, "memory")]) chownSync(path, AGENT.uid, AGENT.gid)
  }
  for (const path of [home, join(home, "sessions")]) chownSync(path, AGENT.uid, AGENT.gid)
  const script = `chdir $ARGV[0]; while (1) { for my $n (0 .. ${FOLDERS - 1}) {
    my ($own, $link) = ("own$n", "link$n"); syscall ${EXCHANGE}, -100, $own, -100, $link, 2 } }`
  const program = spawn(perl?.file ?? "", ["-e", script, join(home, "sessions")], { ...AGENT, cwd: "/" })
  onTestFinished(async () => {
    program.kill("SIGKILL")
    await removeFolder(root, { kill: true })
  })
  return { home, secret, stores }
}

describe("an agent that exchanges its folders for links", needs(why), () => {
  it("has root save no file of root's as its memory, however often it is saved", async () => {
    const { home, stores } = race()
    using disk = openFilesProcess(AGENT, { env: {} })
    const options = { directory: stores, publicUrl: "http://127.0.0.1", signingKey: new Uint8Array(32) }
    const blobs = createFileBlobs(options)
    const about = { disk, home, memory: { folder: "sessions", mark: () => "memory", moves: "by_content" as const } }
    let saved = 0
    for (let round = 0; round < ROUNDS || saved === 0; round++) {
      const stored = new Set<string>()
      const place = { blobs, sid: "0123456789abcdef0123456789abcdef", incarnation: 1 }
      saved += (await saveAgentState(place, { ...about, session: "t", stored }, { signal })).length
    }
    const texts = new Set<string>()
    for await (const { key } of blobs.list("", {})) {
      const source = await blobs.get(key)
      if (source) texts.add(`${await readAll(source)}`)
    }
    blobs.close()
    expect([...texts]).toEqual(["own"])
  })

  it("has root write nothing where the links lead", async () => {
    const { home, secret } = race()
    using disk = openFilesProcess(AGENT, { env: {} })
    for (let round = 0; round < ROUNDS * FOLDERS; round++) {
      const path = `sessions/own${round % FOLDERS}/deep/planted`
      // Fails if the link is in the way at that moment.
      await disk.replace(home, path, 0o644, Buffer.from("ours")).catch(() => undefined)
      await disk.remove(join(home, "sessions", `link${round % FOLDERS}`, "memory")).catch(() => undefined)
    }
    expect(readdirSync(secret)).toEqual(["memory"])
    expect(readFileSync(join(secret, "memory"), "utf8")).toBe(SECRET)
  })
})
