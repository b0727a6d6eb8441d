/** A pull request as its host has it. */
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

/** The result of the checks of a commit. */
export interface CommitStatus {
  commit: string
  state: "success" | "failure"
  description: string
}

/** One repository on a git host, by the host's API. */
export interface Forge {
  defaultBranch(): Promise<string>
  /** The open pull request of a branch, if there is one. */
  find(head: string): Promise<FoundPullRequest | undefined>
  /** Undefined if there is one meanwhile: a host has only one open pull request for two branches. */
  create(request: NewPullRequest): Promise<FoundPullRequest | undefined>
  update(number: number, body: string): Promise<void>
  setStatus(status: CommitStatus): Promise<void>
}

/** The name under which the status of a commit is shown. */
export const STATUS_CONTEXT = "switchyard"

/** GitHub's limit. */
export const MAX_DESCRIPTION_CHARS = 140
