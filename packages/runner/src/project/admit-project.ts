import type { CliId } from "@switchyard/core/agents/clis/schema"
import type { Admission } from "../agents/task.ts"
import type { Files } from "../files/files.ts"
import { inFolder } from "../git/plumbing/git-path.ts"
import { findStartFiles } from "../git/worktrees/find-start-files.ts"
import type { Worktree } from "../git/worktrees/worktree-record.ts"
import type { ProjectDeps } from "./project-deps.ts"
import { hiddenNote } from "./worktree-location.ts"

/** Hides the files of a worktree because of which this program would start others, until the result is disposed of. */
export async function admitProject(
  { hiding }: Pick<ProjectDeps, "hiding">,
  { git, tree: root, notes }: Pick<Worktree, "git" | "tree" | "notes">,
  { cli, cwd }: { cli: CliId; cwd: string },
  options: { signal: AbortSignal },
): Promise<Admission> {
  const folder = { files: git.files, git, root }
  const found = await findStartFiles(cli, { ...folder, cwd }, options)
  if (!found) return { isTrusted: false, async [Symbol.asyncDispose]() {} }
  const hidden = await hiding.hide(folder, found.paths, hiddenNote(notes), options)
  return { isTrusted: false, [Symbol.asyncDispose]: () => hidden[Symbol.asyncDispose]() }
}

/** Removes those files from a copy that nobody keeps. */
export async function stripCopy(
  files: Files,
  { cli, cwd }: { cli: CliId; cwd: string },
  options: { signal: AbortSignal },
): Promise<Admission> {
  const found = await findStartFiles(cli, { files, git: undefined, root: cwd, cwd }, options)
  for (const path of found?.paths ?? []) await files.remove(inFolder(cwd, path))
  return { isTrusted: false, async [Symbol.asyncDispose]() {} }
}
