import { closeSync, constants, lstatSync, openSync, readFileSync } from "node:fs"
import { basename, dirname } from "node:path"
import { loginOf } from "@switchyard/core/agents/clis/cli-logins"
import { type LoginFiles, loginFault, loginTokens } from "@switchyard/core/agents/clis/login-files"
import type { CliId } from "@switchyard/core/agents/clis/schema"
import { LOGIN_BYTES } from "@switchyard/core/agents/runner/login-schema"
import { parseJson } from "@switchyard/core/parse-json"
import * as z from "zod"
import { type Files, ownFiles } from "../files/files.ts"
import { writeHome } from "../sandbox/agent-home.ts"

/**
 * The stored revision from which the files in a home came, the name of the use of the log-in that laid them there, and the revisions
 * that it has sent since, of which any may have been stored.
 */
const Mark = z.object({ revision: z.string(), holder: z.string(), sent: z.array(z.string()).default([]) })
type Mark = z.infer<typeof Mark>

/** The files of a log-in in its program's home, and the note of where they came from. */
export interface LoginHome {
  marked(): Promise<Mark | undefined>
  mark(mark: z.input<typeof Mark>): Promise<void>
  /** Undefined where they aren't a log-in: a program may just be writing them, or have thrown it away. */
  read(): Promise<LoginFiles | undefined>
  write(files: LoginFiles): Promise<void>
  /** Removes them, with what was to become them when its writer was killed. */
  clear(): Promise<void>
  /** The tokens that have come into the files since this was asked last; absent for the home of another user. */
  renewedTokens: (() => string[]) | undefined
}

const MARK_PATH = ".switchyard/login"

/** Opens a home that is there. `disk` reads and writes it as its programs do. */
export async function openLoginHome(named: string, { cli, disk }: { cli: CliId; disk: Files }): Promise<LoginHome> {
  const { folder = "", files: names = [] } = loginOf(cli) ?? {}
  // Programs can leave links in their home, so nothing is read or removed through one.
  const home = await disk.realpath(named)
  const readAt = async (path: string) => (await disk.readRegular(Buffer.from(`${home}/${path}`)))?.toString()
  const paths = names.map((name) => ({ name, path: `${folder}/${name}` }))

  /** Removes the files of a folder of the home whose names begin like this: a file's, and its next version's under another name. */
  async function removeFrom(within: string, begin: string): Promise<void> {
    const place = `${home}/${within}`
    const isThere = (await disk.lstat(place))?.kind === "folder" && (await disk.realpath(place)) === place
    for (const { name, kind } of isThere ? await disk.list(place) : []) {
      if (kind !== "folder" && name.toString("latin1").startsWith(begin)) await disk.unlink(`${place}/${name}`)
    }
  }

  return {
    marked: async () => Mark.safeParse(parseJson((await readAt(MARK_PATH)) ?? "")).data,
    mark: (mark) => writeHome(disk, home, [{ path: MARK_PATH, content: JSON.stringify(mark) }]),
    async read() {
      const read = await Promise.all(paths.map(async ({ name, path }) => [name, await readAt(path)] as const))
      const files = Object.fromEntries(
        read.flatMap(([name, content]) => (content === undefined ? [] : [[name, content]])),
      )
      return loginFault(cli, files) === undefined ? files : undefined
    },
    renewedTokens: disk === ownFiles ? createTokenReader(paths.map(({ path }) => `${home}/${path}`)) : undefined,
    write: (files) =>
      writeHome(
        disk,
        home,
        paths.flatMap(({ name, path }) => (files[name] === undefined ? [] : [{ path, content: files[name] }])),
      ),
    async clear() {
      for (const name of names) await removeFrom(folder, name)
      await removeFrom(dirname(MARK_PATH), basename(MARK_PATH))
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
