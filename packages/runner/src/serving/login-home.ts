import { closeSync, constants, lstatSync, openSync, readFileSync } from "node:fs"
import { basename, dirname } from "node:path"
import { type CliId, loginOf } from "@switchyard/core/agents/clis/clis"
import { type LoginFiles, loginFault, loginTokens } from "@switchyard/core/agents/runner/login-files"
import { LOGIN_BYTES } from "@switchyard/core/agents/runner/login-schema"
import { parseJson } from "@switchyard/core/text/parse-json"
import * as z from "zod"
import { type Files, ownFiles } from "../files/files.ts"
import { writeHome } from "../sandbox/agent-home.ts"

/**
 * Origin of a home's files: the stored revision, the holder, and the revisions that this holder has sent. Any of these
 * revisions may be the stored one.
 */
const Mark = z.object({ revision: z.string(), holder: z.string(), sent: z.array(z.string()).default([]) })
type Mark = z.infer<typeof Mark>

/** Login files in a program's home, with a mark that records where they came from. */
export interface LoginHome {
  marked(): Promise<Mark | undefined>
  mark(mark: z.input<typeof Mark>): Promise<void>
  /**
   * Reads the files. Returns undefined if they aren't a valid login: a program may be writing them, or may have removed
   * them.
   */
  read(): Promise<LoginFiles | undefined>
  write(files: LoginFiles): Promise<void>
  /** Removes the files, including files that a killed program has written only partly. */
  clear(): Promise<void>
  /** Returns the tokens that were added to the files since the last call. Undefined for homes of other users. */
  renewedTokens: (() => string[]) | undefined
}

const MARK_PATH = ".switchyard/login"

/** Opens an existing home. `disk` accesses the home as its program's user. */
export async function openLoginHome(named: string, { cli, disk }: { cli: CliId; disk: Files }): Promise<LoginHome> {
  const { folder = "", files: names = [] } = loginOf(cli) ?? {}
  // Programs can leave links in their home. Resolve the home's path once, and never follow links inside it.
  const home = await disk.realpath(named)
  const readAt = async (path: string) => (await disk.readRegular(Buffer.from(`${home}/${path}`)))?.toString()
  const paths = names.map((name) => ({ name, path: `${folder}/${name}` }))

  /**
   * Removes all entries of a folder that begin with this prefix: a file, and the temporary files of its next version.
   */
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
 * Creates a function that returns the tokens in changed files. The function is synchronous, because a program may print
 * tokens as soon as it has written them. It only works for files of this process's own user.
 */
function createTokenReader(files: string[]): () => string[] {
  const known = new Map<string, bigint>()
  return () =>
    files.flatMap((file) => {
      const found = lstatSync(file, { bigint: true, throwIfNoEntry: false })
      if (!found?.isFile() || found.size > LOGIN_BYTES || known.get(file) === found.mtimeNs) return []
      const tokens = loginTokens({ file: readNow(file) })
      // A file that is still being written may not contain tokens yet.
      if (tokens.length > 0) known.set(file, found.mtimeNs)
      return tokens
    })
}

/** Reads a file. Returns "" if it can't be read. Doesn't block, even if the file was replaced by a pipe. */
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
