/** An expected failure of a command. All other errors are bugs. */
export class CliError extends Error {}

/** Invalid arguments or options. */
export class UsageError extends CliError {}

/** The server rejected a request. */
export class Refused extends CliError {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** There was no response, or the response came from a proxy in front of the server. The request can be retried. */
export class Unreachable extends CliError {
  readonly retryAfterMs: number

  constructor(message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.retryAfterMs = options.retryAfterMs ?? 0
  }
}

/** The user interrupted the command, and there is nothing left to wait for. */
export class Interrupted extends CliError {}

/** An archive that failed validation. */
export class ArchiveRefused extends CliError {}

export function isRefusal(error: unknown, code: string): error is Refused {
  return error instanceof Refused && error.code === code
}
