/** What a command ends with; anything else that is thrown is a fault of ours. */
export class CliError extends Error {}

/** The command line asks for something that can't be done. */
export class UsageError extends CliError {}

/** The server understood, and said no. */
export class Refused extends CliError {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** No answer came, or one that only something in front of the server would give. Worth another try. */
export class Unreachable extends CliError {
  readonly retryAfterMs: number

  constructor(message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.retryAfterMs = options.retryAfterMs ?? 0
  }
}

/** Someone pressed Ctrl-C, and nothing is left to wait for. */
export class Interrupted extends CliError {}

/** An archive that isn't unpacked, and why. */
export class ArchiveRefused extends CliError {}

export function isRefusal(error: unknown, code: string): error is Refused {
  return error instanceof Refused && error.code === code
}
