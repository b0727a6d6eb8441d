import type { AnyCli } from "@switchyard/core/agents/clis/cli"
import type { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import type { Admission } from "../agents/task.ts"
import type { Files } from "../files/files.ts"
import type { Git } from "../git/plumbing/git.ts"
import { inFolder } from "../git/plumbing/git-path.ts"
import { isAsCommitted } from "../git/worktrees/as-committed.ts"
import { findStartFiles, type StartFiles } from "../git/worktrees/find-start-files.ts"
import type { Worktree } from "../git/worktrees/worktree-record.ts"
import type { ProjectDeps } from "./project-deps.ts"
import { hiddenNote } from "./worktree-location.ts"

/** Consent to project files that make programs start other programs. */
export interface StartConsent {
  /** Digests of the files that the owner has consented to. */
  digests: ReadonlySet<string>
  /** Commit whose files the owner has consented to. */
  commit: string | undefined
  /** Called for files that are allowed because of their digest or their commit. */
  onAllowed: (found: StartFiles & { digest: string }, by: "digest" | "commit") => Promise<void>
  onHidden: (found: StartFiles, why: HiddenFor) => Promise<void>
}

/**
 * Reason for hiding files: the owner hasn't consented to them, or the CLI must ask for permission and settings in the
 * files could turn that off.
 */
export type HiddenFor = "consent" | "mode"

/**
 * Hides the files that would make the CLI start other programs, until the returned object is disposed. In `bypass`
 * mode, files to which the owner has consented stay visible. In other modes, these files are hidden too, because a
 * project's settings could allow what a rule denies.
 */
export async function admitProject(
  { hiding }: Pick<ProjectDeps, "hiding">,
  { git, tree: root, notes }: Pick<Worktree, "git" | "tree" | "notes">,
  { cli, cwd, consent }: { cli: AnyCli; cwd: string; consent: StartConsent },
  { mode, ...options }: AdmitOptions,
): Promise<Admission> {
  const folder = { files: git.files, git, root }
  const found = await findStartFiles(cli, { ...folder, cwd }, options)
  if (!found) return admission(false)
  const { digest } = found
  const isOpen = mode === "bypass" && digest !== null
  const by = isOpen ? await consentTo(folder, { ...found, digest }, consent, options) : undefined
  if (digest !== null && by) {
    await consent.onAllowed({ ...found, digest }, by)
    return admission(true)
  }
  await consent.onHidden(found, mode === "bypass" ? "consent" : "mode")
  const hidden = await hiding.hide(folder, found.paths, hiddenNote(notes), options)
  return { isTrusted: false, [Symbol.asyncDispose]: () => hidden[Symbol.asyncDispose]() }
}

interface AdmitOptions {
  mode: PermissionMode
  signal: AbortSignal
}

async function consentTo(
  folder: { git: Git; root: string },
  found: StartFiles & { digest: string },
  { digests, commit }: StartConsent,
  options: { signal: AbortSignal },
): Promise<"digest" | "commit" | undefined> {
  if (digests.has(found.digest)) return "digest"
  return commit !== undefined && (await isAsCommitted(folder, found, commit, options)) ? "commit" : undefined
}

function admission(isTrusted: boolean): Admission {
  return { isTrusted, async [Symbol.asyncDispose]() {} }
}

/** Removes the files that would make the CLI start other programs from a temporary copy. */
export async function stripCopy(
  files: Files,
  { cli, cwd }: { cli: AnyCli; cwd: string },
  options: { signal: AbortSignal },
): Promise<Admission> {
  const found = await findStartFiles(cli, { files, git: undefined, root: cwd, cwd }, options)
  for (const path of found?.paths ?? []) await files.remove(inFolder(cwd, path))
  return admission(false)
}
