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
  /** Returns a branch's open pull request, if there is one. */
  find(head: string): Promise<FoundPullRequest | undefined>
  /**
   * Creates a pull request. Returns undefined if another request has already created one, because hosts allow only one
   * open pull request per pair of branches.
   */
  create(request: NewPullRequest): Promise<FoundPullRequest | undefined>
  update(number: number, body: string): Promise<void>
  setStatus(status: CommitStatus): Promise<void>
}

/** Name under which a commit's status is shown. */
export const STATUS_CONTEXT = "switchyard"

/** GitHub's limit for a status description. */
export const MAX_DESCRIPTION_CHARS = 140
