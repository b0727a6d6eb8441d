import * as z from "zod"
import type { ForgeApi } from "./forge-api.ts"

/** A file to push. */
export interface PushedFile {
  path: string
  content: Buffer
  isExecutable: boolean
  isBinary: boolean
}

export interface PushedCommit {
  /** Branch to create. In a repository that has just been created, this is the default branch. */
  branch: string
  /** Branch that the new commit is based on. */
  base: string
  message: string
  files: PushedFile[]
}

/** A repository that exists on its host. */
export interface FoundRepository {
  /** Null if the repository has no commits. */
  defaultBranch: string | null
}

/** Files of a repository on a git host, written through the host's API. Never overwrites a branch. */
export interface ForgeFiles {
  /** Returns the repository. Undefined if it doesn't exist, or if the token gives no access to it. */
  find(): Promise<FoundRepository | undefined>
  /** Creates the repository with a first commit, so that it has a branch. */
  create(options: { isPrivate: boolean }): Promise<{ defaultBranch: string }>
  hasBranch(branch: string): Promise<boolean>
  /** Throws `invalid_request` if the host would refuse this many files. */
  check?(files: PushedFile[]): void
  /**
   * Adds or replaces these files in one commit on top of the base branch, and returns the commit's ID. Keeps all other
   * files.
   */
  push(commit: PushedCommit): Promise<string>
}

const User = z.object({ login: z.string() })
const Created = z.object({ default_branch: z.string() })

/**
 * Creates a repository with a first commit on GitHub or Gitea, whose APIs are alike. Creates it for the token's user if
 * `owner` is that user's name, and otherwise for the organisation with that name.
 */
export async function createRepository(
  api: ForgeApi,
  { owner, name }: { owner: string; name: string },
  settings: { private: boolean; default_branch?: string },
): Promise<{ defaultBranch: string }> {
  const user = await api.ask({ path: "/user", answer: User })
  const isOwn = user?.login.toLowerCase() === owner.toLowerCase()
  const path = isOwn ? "/user/repos" : `/orgs/${encodeURIComponent(owner)}/repos`
  const made = await api.ask({ method: "POST", path, body: { name, ...settings, auto_init: true }, answer: Created })
  return { defaultBranch: made?.default_branch ?? "main" }
}
