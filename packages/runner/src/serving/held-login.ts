import { randomUUID } from "node:crypto"
import { closeSync, constants, lstatSync, openSync, readFileSync } from "node:fs"
import { loginOf } from "@switchyard/core/agents/clis/cli-logins"
import { type LoginFiles, loginFault, loginRevision, loginTokens } from "@switchyard/core/agents/clis/login-files"
import type { CliId } from "@switchyard/core/agents/clis/schema"
import { LOGIN_BYTES, type LoginAnswer } from "@switchyard/core/agents/runner/login-schema"
import type { Clock } from "@switchyard/core/time"
import { type Concealment, createConcealment } from "../agents/concealment.ts"
import { type Files, ownFiles } from "../files/files.ts"
import { writeHome } from "../sandbox/agent-home.ts"
import type { AskLogins } from "./host.ts"

export interface LoginUse {
  runId: string
  /** The account's name. */
  account: string
  cli: CliId
  /** The home of its programs, which is there. */
  home: string
  /** Reads and writes it as they do. */
  disk: Files
}

/** A log-in that lies in its agent's home. Once it is closed, it is gone from there, and stored as its program has left it. */
export interface HeldLogin extends AsyncDisposable {
  state: "held"
  /** Blanks it, as it was and as it becomes. */
  concealment: Concealment
}

interface Deps {
  ask: AskLogins
  clock: Clock
  report: (error: unknown) => void
}

/** Three times in the time after which the server presumes that nobody holds it. */
const KEEP_MS = 20_000
/** The time within which a log-in that was renewed is stored. */
const LOOK_MS = 1000
/** The server is on this machine; what it doesn't take now stays in the home, for the next run. */
const RELEASE_WITHIN_MS = 3000

/**
 * Takes the log-in of an account for a program and lays it into its home. What a runner that died has left there is stored first, where
 * nothing else was in the meantime: the provider takes each renewed log-in only once. `gone` where the account has none any more.
 */
export async function takeLogin(
  { ask, clock, report }: Deps,
  use: LoginUse,
  { signal }: { signal: AbortSignal },
): Promise<HeldLogin | Exclude<LoginAnswer, { state: "held" }>> {
  const about = { run_id: use.runId, account: use.account, holder: randomUUID() }
  const home = await openHome(use)
  const answer = await ask({ act: "take", ...about }, { signal })
  if (answer.state === "gone") await home.clear()
  if (answer.state !== "held") return answer
  const concealment = createConcealment(home.renewedTokens)
  /** The stored revision that the home's files came from, and the files as they were stored. */
  let { revision } = answer
  let known = answer.files ?? {}
  /** Whether another log-in has come in its place: this one is stored no more. */
  let isReplaced = false
  let keptAt = clock.monotonic()

  async function tell(act: "keep" | "release", renewed: LoginFiles | undefined, options: { signal: AbortSignal }) {
    if (renewed) concealment.add(loginTokens(renewed))
    const refreshed = renewed && !isReplaced ? { files: renewed, revision } : undefined
    const told = await ask({ act, ...about, refreshed }, options)
    keptAt = clock.monotonic()
    if (told.state === "gone") {
      isReplaced = true
      await home.clear()
    }
    if (told.state !== "held" || !refreshed) return
    known = refreshed.files
    isReplaced = told.revision !== loginRevision(known)
    if (isReplaced) return
    revision = told.revision
    await home.mark(revision)
  }

  /** The files in the home, if they are a log-in and another than before. */
  async function renewed(): Promise<LoginFiles | undefined> {
    const files = await home.read()
    return files && loginRevision(files) !== loginRevision(known) ? files : undefined
  }

  concealment.add(loginTokens(known))
  const isLeft = (await home.marked()) === revision
  const left = isLeft ? await renewed() : undefined
  if (left) await tell("keep", left, { signal })
  await home.mark(revision)
  await home.write(known)

  const closing = new AbortController()
  async function look(): Promise<void> {
    const files = await renewed()
    if (files || clock.monotonic() - keptAt >= KEEP_MS) await tell("keep", files, closing)
  }
  async function keep(): Promise<void> {
    let failed = false
    while (!closing.signal.aborted) {
      await clock.sleep(LOOK_MS, closing).catch(() => undefined)
      if (closing.signal.aborted) return
      try {
        await look()
        failed = false
      } catch (error) {
        if (!failed && !closing.signal.aborted) report(error)
        failed = true
      }
    }
  }
  const keeping = keep()

  return {
    state: "held",
    concealment,
    async [Symbol.asyncDispose]() {
      closing.abort()
      await keeping
      try {
        await tell("release", await renewed(), { signal: AbortSignal.timeout(RELEASE_WITHIN_MS) })
        await home.clear()
      } catch (error) {
        report(error)
      }
    },
  }
}

const MARK = ".switchyard/login"

/** The files of a log-in in a home, and the note from which stored revision they came. */
async function openHome({ cli, home: named, disk }: LoginUse) {
  const { folder = "", files: names = [] } = loginOf(cli) ?? {}
  // Programs can leave links in their home, so nothing is read or removed through one.
  const home = await disk.realpath(named)
  const readAt = async (path: string) => (await disk.readRegular(Buffer.from(`${home}/${path}`)))?.toString()
  const marked = () => readAt(MARK)
  const paths = names.map((name) => ({ name, path: `${folder}/${name}` }))

  return {
    marked,
    mark: (revision: string) => writeHome(disk, home, [{ path: MARK, content: revision }]),
    /** Undefined where they aren't a log-in: a program may just be writing them, or have thrown it away. */
    async read(): Promise<LoginFiles | undefined> {
      const read = await Promise.all(paths.map(async ({ name, path }) => [name, await readAt(path)] as const))
      const files = Object.fromEntries(
        read.flatMap(([name, content]) => (content === undefined ? [] : [[name, content]])),
      )
      return loginFault(cli, files) === undefined ? files : undefined
    },
    renewedTokens: disk === ownFiles ? createTokenReader(paths.map(({ path }) => `${home}/${path}`)) : undefined,
    write: (files: LoginFiles) =>
      writeHome(
        disk,
        home,
        paths.flatMap(({ name, path }) => (files[name] === undefined ? [] : [{ path, content: files[name] }])),
      ),
    async clear(): Promise<void> {
      for (const path of [...paths.map(({ path }) => path), MARK]) {
        if ((await readAt(path)) !== undefined) await disk.unlink(`${home}/${path}`)
      }
    },
  }
}

/**
 * Reads the tokens in these files, if they have changed: at once, as a program may show them as soon as it has written them. For files
 * of this process's own user alone.
 */
function createTokenReader(files: string[]): () => string[] {
  const known = new Map<string, bigint>()
  return () =>
    files.flatMap((file) => {
      const found = lstatSync(file, { bigint: true, throwIfNoEntry: false })
      if (!found?.isFile() || found.size > LOGIN_BYTES || known.get(file) === found.mtimeNs) return []
      const tokens = loginTokens({ file: readNow(file) })
      // One that is just being written has none yet.
      if (tokens.length > 0) known.set(file, found.mtimeNs)
      return tokens
    })
}

/** Empty where it can't be read. Waits for no pipe that has come in its place. */
function readNow(file: string): string {
  try {
    const opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      return readFileSync(opened, "utf8")
    } finally {
      closeSync(opened)
    }
  } catch {
    return ""
  }
}
