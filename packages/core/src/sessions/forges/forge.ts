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

/** Result of a commit's checks. */
export interface CommitStatus {
  commit: string
  state: "success" | "failure"
  description: string
}

/** One repository on a git host, through the host's API. */
export interface Forge {
  defaultBranch(): Promise<string>
  /** Returns the open pull request of a branch, if there is one. */
  find(head: string): Promise<FoundPullRequest | undefined>
  /**
   * Returns undefined if another request created one first: a host allows one open pull request for a pair of branches.
   */
  create(request: NewPullRequest): Promise<FoundPullRequest | undefined>
  update(number: number, body: string): Promise<void>
  setStatus(status: CommitStatus): Promise<void>
}

/** Name under which a commit's status is shown. */
export const STATUS_CONTEXT = "switchyard"

/** GitHub's limit. */
export const MAX_DESCRIPTION_CHARS = 140
