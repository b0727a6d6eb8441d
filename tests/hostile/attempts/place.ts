/** Where an attempt is made, as far as an agent can know it. All of this reaches it as JSON. */
export interface Place {
  /** The data folder of the server. */
  data: string
  /** The session's sid. */
  sid: string
  /** A folder of root's that nobody else may enter, with a file `kept` in it. */
  secret: string
  /** The home of another account, with a file `secret` in it. */
  otherHome: string
  /** The project of another session, with a file `secret` in it. */
  otherProject: string
  /** The API of a server that asks for a login, and the id of a session there. */
  api: string
  apiSession: string
  /** True if only the attempts on Bedrock are made. */
  isBedrock?: boolean
}

/** What an agent finds out by itself. */
export interface Surroundings extends Place {
  /** The first process above it that isn't its own user's: the runner, or what stands in for it. */
  runner: number
  gateway: { url: string; token: string }
}

export interface Attempt {
  name: string
  /** Tries it. What it returns is what the agent got; it throws where it was refused. */
  run: (at: Surroundings) => unknown
  /** Whether what the agent got is nothing, where that isn't an error. */
  isNothing?: (got: string) => boolean
}

export type Outcome = { name: string } & ({ got: string } | { refused: string })

/** A text of which a few words are enough for the report. */
export const LIMIT = 4000
