import type { WorkspacePath } from "@switchyard/core/files/workspaces/path"
import type { Git } from "../plumbing/git.ts"
import { identity } from "../plumbing/snapshot.ts"

/** A file to commit byte for byte, regardless of the repository's attributes. */
export interface ImportedFile {
  path: WorkspacePath
  mode: number
  read(options: { signal: AbortSignal }): Promise<Uint8Array>
}

export interface ImportedCommit {
  ref: string
  /** First parent. Provides all files that aren't listed. */
  from: string
  /** Ref of an earlier commit in the list. It becomes the second parent. */
  merge?: string
}

export interface Import {
  message: string
  files: ImportedFile[]
  deleted: WorkspacePath[]
  /** True if the commits contain these files and no others. */
  whole?: boolean
  commits: ImportedCommit[]
}

/**
 * Commits files without using a checkout. Creates either all of the commits or none. The caller must remove the
 * commits' refs.
 */
export async function importFiles(
  git: Git,
  cwd: string,
  { message, files, deleted, whole = false, commits }: Import,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email } = identity()
  const marks = new Map(commits.map(({ ref }, index) => [ref, files.length + index + 1]))

  async function* stream(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("feature done\n")
    for (const [index, file] of files.entries()) {
      const bytes = await file.read({ signal })
      yield Buffer.from(`blob\nmark :${index + 1}\ndata ${bytes.length}\n`)
      yield bytes
      yield Buffer.from("\n")
    }
    for (const { ref, from, merge } of commits) {
      const text = Buffer.from(message)
      yield Buffer.from(
        `commit ${ref}\nmark :${marks.get(ref)}\ncommitter ${name} <${email}> now\ndata ${text.length}\n`,
      )
      yield text
      yield Buffer.from(`\nfrom ${from}\n${merge ? `merge :${marks.get(merge)}\n` : ""}${whole ? "deleteall\n" : ""}`)
      for (const path of deleted) yield Buffer.from(`D ${quoted(path)}\n`)
      for (const [index, { path, mode }] of files.entries()) {
        yield Buffer.from(`M ${mode & 0o100 ? "100755" : "100644"} :${index + 1} ${quoted(path)}\n`)
      }
      yield Buffer.from("\n")
    }
    yield Buffer.from("done\n")
  }

  const args = ["fast-import", "--quiet", "--done", "--force", "--date-format=now"]
  await git(args, { cwd, input: stream(), signal })
}

const quoted = (path: string) => `"${path.replaceAll(/["\\]/g, "\\$&")}"`
