/** Targets of attempts. The agent receives them as JSON. */
export interface Place {
  /** Data folder of the server. */
  data: string
  sid: string
  /** Folder of root that no other user may enter, with a file `kept`. */
  secret: string
  /** Home of another account, with a file `secret`. */
  otherHome: string
  /** Project of another session, with a file `secret`. */
  otherProject: string
  /** API of a server that requires a login, and the id of a session there. */
  api: string
  apiSession: string
  /** True if only the attempts on Bedrock are made. */
  isBedrock?: boolean
}

/** Targets, with those that an agent finds out by itself. */
export interface Surroundings extends Place {
  /** Id of the nearest ancestor process of another user: the runner, or the process in its place. */
  runner: number
  gateway: { url: string; token: string }
}

export interface Attempt {
  name: string
  /** Makes the attempt. Returns what the agent got, and throws if the attempt was refused. */
  run: (at: Surroundings) => unknown
  /** True if this result, although not an error, gives the agent nothing. */
  isNothing?: (got: string) => boolean
}

export type Outcome = { name: string } & ({ got: string } | { refused: string })

/** Maximum characters of a result. A few words are enough for the report. */
export const LIMIT = 4000
