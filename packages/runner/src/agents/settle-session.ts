import { basename, dirname, join } from "node:path"
import { cliOf } from "@switchyard/core/agents/added/cli-of"
import type { CliId } from "@switchyard/core/agents/clis/clis"
import type { Files } from "../files/files.ts"
import { pathsUnder } from "./found-session.ts"

/** Renames a session file that its program would otherwise overwrite when it resumes the session. */
export async function settleSession(files: Files, home: string, cli: CliId, session: string): Promise<void> {
  const { sessionFiles } = cliOf(cli)
  if (!sessionFiles?.settledName) return
  const { folder, mark, settledName } = sessionFiles
  const paths = await pathsUnder(files, home, folder)
  const own = paths.filter((path) => basename(path).includes(mark(session)))
  const moves = own.flatMap((path) => {
    const name = settledName(basename(path))
    return name === undefined ? [] : [{ from: path, to: join(dirname(path), name) }]
  })
  // The oldest file contains the conversation. The program creates the later, empty files when it resumes.
  const [oldest] = moves.sort((one, other) => (one.from < other.from ? -1 : 1))
  if (!oldest || moves.some(({ from, to }) => from === to)) return
  await files.rename(join(home, oldest.from), join(home, oldest.to))
}
