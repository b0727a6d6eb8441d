import { execFile } from "node:child_process"
import { rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"
import { makeRepository } from "../tests/functions/agents/repository.ts"
import { openSession } from "../tests/functions/agents/worktree-session.ts"
import { startServer, type TestServer } from "../tests/functions/server.ts"
import { compared, type Line, median, type Question, sideBySide, timed } from "./measure.ts"
import { projectFiles, writeFolder } from "./project.ts"
import { temporaryDirectory } from "./stage.ts"

const MANY = 20_000
const FEW = 20
const CHANGED = 5000
const POLL_MS = 250
const ROUNDS = 2
const DIFFS = 5
/** About the size of a generated file. */
const FILE_BYTES = 16

export const manyFiles: Question = {
  asks: "What does an agent cost that leaves 20,000 files, and a fresh diff of 5,000?",
  async answer() {
    const server = await startServer()
    try {
      return [...(await saved(server)), ...(await compare(server))]
    } finally {
      await server.close()
    }
  },
}

/** Runs a task that leaves this many files in a new session. Resolves once the session has saved all of them. */
async function taskOf(server: TestServer, files: number) {
  const session = await openSession(server)
  await session.task({ generates: files })
  const saving = async () => (await server.call("GET", `/api/v1/sessions/${session.id}`)).body.saving
  while (await saving()) await delay(POLL_MS)
  const events = await session.events()
  const at = (type: string) => Date.parse(String(events.findLast((event) => event.type === type)?.ts))
  const told = events.filter(({ type }) => type === "workspace_save_progressed")
  return {
    session,
    /** Time from the end of the agent's program to the end of its task. */
    overMs: at("run_completed") - at("agent_turn_finished"),
    savedMs: at("workspace_committed") - at("agent_turn_finished"),
    told: told.length,
  }
}

async function saved(server: TestServer): Promise<Line[]> {
  const many: Awaited<ReturnType<typeof taskOf>>[] = []
  const folders: number[] = []
  const commits: number[] = []
  const over = await sideBySide(
    async () => {
      const task = await taskOf(server, MANY)
      many.push(task)
      const plain = await writing()
      folders.push(plain.writtenMs)
      commits.push(plain.committedMs)
      return task.overMs
    },
    async () => (await taskOf(server, FEW)).overMs,
    { rounds: ROUNDS },
  )
  const [{ session, told } = await taskOf(server, MANY)] = many.slice(-1)
  const before = await blobs(server)
  await session.task({ files: Object.fromEntries(Array.from({ length: FEW }, (_, n) => [`${n}.txt`, `more ${n}\n`])) })
  const written = (await blobs(server)) - before
  const counted = Object.keys(await session.files()).length
  if (counted !== MANY + FEW) throw new Error(`The session has ${counted} files.`)
  // The first round is a warm-up.
  const beside = (measured: number[], baseline: number[]) => {
    const [values, bases] = [measured.slice(1), baseline.slice(1)]
    const ratios = values.map((ms, round) => ms / (bases[round] ?? Number.NaN))
    return { value: median(values), baseline: median(bases), ratio: median(ratios) }
  }
  const ended = many.map(({ overMs }) => overMs)
  const until = many.map(({ savedMs }) => savedMs)
  return [
    compared("agent's end to its task's end, 20,000 files", "ms", "20 files", over),
    compared("the same", "ms", "git add and commit the files", beside(ended, commits)),
    compared("until all of them are saved", "ms", "write and flush the files in a folder", beside(until, folders)),
    { what: "how often it says how far it is", value: told, unit: "times" },
    { what: "blobs that the next task writes, of 20 files", value: written, unit: "times", target: atMost(FEW) },
  ]
}

/** Writes and flushes the same number of files of the same size, and then commits them with plain git. */
async function writing(): Promise<{ writtenMs: number; committedMs: number }> {
  const folder = await temporaryDirectory()
  const files = [...projectFiles(MANY, FILE_BYTES)]
  const git = (...args: string[]) => promisify(execFile)("git", args, { cwd: folder, maxBuffer: 1024 * 1024 * 1024 })
  const as = ["-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgSign=false"]
  try {
    const writtenMs = await timed(() => writeFolder(folder, files))
    await git("init", "--quiet")
    const committedMs = await timed(async () => {
      await git("add", "--all")
      await git(...as, "commit", "--quiet", "--message", "Commit the files")
    })
    return { writtenMs, committedMs }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function blobs({ stores }: TestServer): Promise<number> {
  const all = await Array.fromAsync(stores.blobs.list("s/"))
  return all.filter(({ key }) => /^s\/[^/]+\/\d+\/blobs\//.test(key)).length
}

/** Measures the diff of a task that changed `CHANGED` files of a repository. */
async function compare(server: TestServer): Promise<Line[]> {
  const name = (index: number) => join("generated", `${Math.floor(index / 100)}`, `${index}.txt`)
  const content = Object.fromEntries(Array.from({ length: CHANGED }, (_, index) => [name(index), `was ${index}\n`]))
  const repository = makeRepository(join(dirname(server.folder), "many"), content)
  const session = await openSession(server, repository.folder)
  await session.task({ generates: CHANGED })
  const { path } = (await session.ask("GET")).body
  let requests = 0
  const asked = (kind: string) => async () => {
    requests = 0
    return timed(async () => {
      let answer = await session.ask("GET", `${kind}?fresh=true`)
      for (requests++; answer.status === 202; requests++) answer = await server.call("GET", answer.body.links.result)
      if (answer.body.files_changed !== CHANGED) throw new Error(`${answer.text.slice(0, 200)}`)
    })
  }
  const bare = (...args: string[]) => {
    const options = { cwd: path, maxBuffer: 1024 * 1024 * 1024 }
    return () =>
      timed(() => promisify(execFile)("git", ["diff", ...args, repository.git("rev-parse", "HEAD").trim()], options))
  }
  const listed = await sideBySide(asked("/diff"), bare("--numstat"), { rounds: DIFFS })
  const times = requests
  const whole = await sideBySide(asked("/diff/full"), bare("--patch"), { rounds: DIFFS })
  return [
    compared("a fresh diff of 5,000 files", "ms", "git diff --numstat", listed, atMost(25_000)),
    { what: "requests that it takes", value: times, unit: "times" },
    compared("the same line by line", "ms", "git diff --patch", whole, atMost(25_000)),
    { what: "requests that it takes line by line", value: requests, unit: "times" },
  ]
}

function atMost(value: number): Line["target"] {
  return { of: "value", atMost: value }
}
