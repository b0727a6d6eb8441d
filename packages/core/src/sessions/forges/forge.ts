/** Pull request as returned by its host. */
export interface FoundPullRequest {
  number: number
  url: string
  title: string
  body: string
  base: string
}

export interface NewPullRequest {
  head: string
  base: string
  title: string
  body: string
  draft: boolean
}

/** Check result of a commit. */
export interface CommitStatus {
  commit: string
  state: "success" | "failure"
  description: string
}

/** A repository on a git host, accessed through the host's API. */
export interface Forge {
  defaultBranch(): Promise<string>
  /** Returns the open pull request of a branch, if there is one. */
  find(head: string): Promise<FoundPullRequest | undefined>
  /**
   * Creates a pull request. Returns undefined if one already exists, because hosts allow only one open pull request per
   * pair of branches.
   */
  create(request: NewPullRequest): Promise<FoundPullRequest | undefined>
  update(number: number, body: string): Promise<void>
  setStatus(status: CommitStatus): Promise<void>
}

/** Name that hosts show next to a commit's status. */
export const STATUS_CONTEXT = "switchyard"

/** Maximum length of a status description on GitHub. */
export const MAX_DESCRIPTION_CHARS = 140
