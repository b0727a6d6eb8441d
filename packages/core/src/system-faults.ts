import { basename } from "node:path"
import { AppError, errorChain } from "./errors.ts"

/** A failure of the machine, the network, another program or AWS. */
export interface SystemFault {
  type:
    | "storage_unavailable"
    | "connection_error"
    | "timed_out"
    | "permission_denied"
    | "not_found"
    | "not_installed"
    | "program_failed"
    | "out_of_memory"
    | "too_many_processes"
    | "aws_credentials"
    | "invalid_response"
    | "interrupted"
  message: string
  hint: string
}

/** Known faults, with the error codes (of Node) and error names (of AWS and the platform) that mean each of them. */
const FAULTS: { codes: string[]; fault: SystemFault }[] = [
  {
    codes: ["ENOSPC", "EDQUOT"],
    fault: {
      type: "storage_unavailable",
      message: "The disk is full.",
      hint: "Free some space on the machine's disk, then try again.",
    },
  },
  {
    codes: ["EROFS"],
    fault: {
      type: "storage_unavailable",
      message: "The disk is read-only.",
      hint: "Mount the disk with write access, or set SWITCHYARD_DATA to a folder on another disk.",
    },
  },
  {
    codes: ["EIO"],
    fault: {
      type: "storage_unavailable",
      message: "A disk read or write failed.",
      hint: "Check the disk and the system's log. Copy the data folder to another disk if it fails again.",
    },
  },
  {
    codes: ["EMFILE", "ENFILE"],
    fault: {
      type: "storage_unavailable",
      message: "Too many files are open.",
      hint: "Run fewer agents at once, or raise the limit of open files (`ulimit -n`) and restart the server.",
    },
  },
  {
    codes: [
      ...["ProvisionedThroughputExceededException", "RequestLimitExceeded", "SlowDown", "Throttling"],
      ...["ThrottlingException", "TooManyRequestsException", "TransactionInProgressException"],
    ],
    fault: {
      type: "storage_unavailable",
      message: "AWS limited the number of requests.",
      hint: "Try again in a minute. If it happens often, raise the quota of the service that the log names.",
    },
  },
  {
    codes: ["EACCES", "EPERM"],
    fault: {
      type: "permission_denied",
      message: "The system denied access to a file or program.",
      hint: "Give the user of the server access to the path in the log, then try again.",
    },
  },
  {
    codes: ["AccessDenied", "AccessDeniedException", "UnauthorizedOperation"],
    fault: {
      type: "permission_denied",
      message: "AWS denied access.",
      hint: "Add the permission that the log names to the server's IAM role or user, then try again.",
    },
  },
  {
    codes: [
      ...["CredentialsProviderError", "ExpiredToken", "ExpiredTokenException", "InvalidAccessKeyId"],
      ...["InvalidClientTokenId", "RequestExpired", "RequestTimeTooSkewed", "SignatureDoesNotMatch"],
      ...["TokenProviderError", "TokenRefreshRequired", "UnrecognizedClientException"],
    ],
    fault: {
      type: "aws_credentials",
      message: "The server's AWS credentials are missing, wrong or expired.",
      hint: "Renew the credentials (for example with `aws sso login`), and check that the machine's clock is right.",
    },
  },
  {
    codes: ["ResourceNotFoundException", "NoSuchBucket"],
    fault: {
      type: "not_found",
      message: "A table, bucket or function is missing in AWS.",
      hint: "Check the stage's name and region, and deploy it again.",
    },
  },
  {
    codes: ["ENOENT", "ENOTDIR"],
    fault: {
      type: "not_found",
      message: "A file or folder that was needed is missing.",
      hint: "The log has its path. Restore it if it was removed by hand, then try again.",
    },
  },
  {
    codes: ["ENOMEM", "ERR_WORKER_OUT_OF_MEMORY", "ERR_MEMORY_ALLOCATION_FAILED"],
    fault: {
      type: "out_of_memory",
      message: "The machine ran out of memory.",
      hint: "Run fewer agents at once, or use a machine with more memory.",
    },
  },
  {
    codes: ["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL"],
    fault: {
      type: "connection_error",
      message: "A host's name couldn't be resolved.",
      hint: "Check the host's name, the network and the DNS settings, then try again.",
    },
  },
  {
    codes: [
      ...["ECONNABORTED", "ECONNREFUSED", "ECONNRESET", "EHOSTUNREACH", "ENETDOWN", "ENETUNREACH", "ENOTCONN"],
      ...["EPIPE", "ERR_STREAM_PREMATURE_CLOSE", "UND_ERR_SOCKET"],
    ],
    fault: {
      type: "connection_error",
      message: "A server couldn't be reached, or the connection broke.",
      hint: "Check your network and proxy, then try again.",
    },
  },
  {
    codes: [
      ...["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID", "DEPTH_ZERO_SELF_SIGNED_CERT", "EPROTO"],
      ...["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_TLS_CERT_ALTNAME_INVALID", "SELF_SIGNED_CERT_IN_CHAIN"],
      ...["UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ],
    fault: {
      type: "connection_error",
      message: "A server's certificate isn't trusted, or it doesn't speak TLS.",
      hint: "Check the URL's host, port and protocol. If your network has its own authority, set NODE_EXTRA_CA_CERTS.",
    },
  },
  {
    codes: [
      ...["ETIMEDOUT", "ESOCKETTIMEDOUT", "RequestTimeout", "TimeoutError", "UND_ERR_BODY_TIMEOUT"],
      ...["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT"],
    ],
    fault: {
      type: "timed_out",
      message: "A server or program didn't respond in time.",
      hint: "Try again. If it happens again, check whether that server or program is overloaded.",
    },
  },
  {
    codes: ["ABORT_ERR", "AbortError"],
    fault: { type: "interrupted", message: "The work was interrupted before it was done.", hint: "Start it again." },
  },
]

const byCode = new Map(FAULTS.flatMap(({ codes, fault }) => codes.map((code) => [code, fault] as const)))

/**
 * Returns the known fault that caused an error. This is the first one in its chain of causes. Undefined if there is
 * none.
 */
export function systemFaultIn(error: unknown): SystemFault | undefined {
  return errorChain(error)
    .map(systemFault)
    .find((fault) => fault !== undefined)
}

/** Returns the message of an expected error or a known fault. For anything else, returns a general message. */
export function shownMessage(error: unknown): string {
  if (error instanceof AppError) return error.message
  return systemFaultIn(error)?.message ?? "Something went wrong."
}

/** Fields of errors thrown by Node, child processes and AWS's SDK. */
interface ErrorFields extends Error {
  code?: unknown
  syscall?: unknown
  path?: unknown
  /** Command line of a program that exited with an error. */
  cmd?: unknown
  signal?: unknown
  $metadata?: { httpStatusCode?: number }
}

/** Returns the known fault that the error itself reports. Ignores its causes. */
export function systemFault(error: unknown): SystemFault | undefined {
  if (!(error instanceof Error)) return undefined
  const { name, code, syscall, cmd, $metadata }: ErrorFields = error
  if (typeof syscall === "string" && syscall.startsWith("spawn")) return notStarted(error)
  if (typeof cmd === "string" && typeof code !== "string") return programFailed(error)
  if (error instanceof SyntaxError && /\bJSON\b/.test(error.message)) return NOT_JSON
  if (error instanceof RangeError && /allocation|string longer than/i.test(error.message)) return byCode.get("ENOMEM")
  const known = byCode.get(String(code)) ?? byCode.get(name)
  if (known) return known
  // Responses without a body, such as S3's responses to HEAD, only have a status.
  const status = $metadata?.httpStatusCode
  return status === 401 || status === 403 ? byCode.get("AccessDenied") : undefined
}

const NOT_JSON: SystemFault = {
  type: "invalid_response",
  message: "A response or file that must be JSON isn't.",
  hint: "A proxy may have answered instead of the server, or a file was cut off. The log has the text's beginning.",
}

function notStarted({ code, path }: ErrorFields): SystemFault | undefined {
  const program = typeof path === "string" ? basename(path) : "A program"
  if (code === "EAGAIN") {
    const message = `${program} couldn't be started, because the machine has too many processes.`
    return { type: "too_many_processes", message, hint: "Run fewer agents at once, or raise the limit (`ulimit -u`)." }
  }
  if (code === "EACCES" || code === "EPERM") {
    const message = `${program} couldn't be started, because the system denied access to it.`
    return { type: "permission_denied", message, hint: `Make ${program} executable for the server's user.` }
  }
  if (code !== "ENOENT") return byCode.get(String(code))
  const message = `${program} couldn't be started: it isn't installed, or its folder is missing.`
  return { type: "not_installed", message, hint: `Install ${program} so that it is on the server's PATH.` }
}

function programFailed({ cmd, code, signal }: ErrorFields): SystemFault {
  const program = basename(String(cmd).split(" ", 1)[0] ?? "")
  const end = { exitCode: typeof code === "number" ? code : null, signal: typeof signal === "string" ? signal : null }
  return {
    type: isOutOfMemory(end) ? "out_of_memory" : "program_failed",
    message: `${program} ${describeExit(end)}.`,
    hint: isOutOfMemory(end)
      ? "Run fewer agents at once, or use a machine with more memory."
      : "The log has the program's output. Fix what it reports, then try again.",
  }
}

/** The end of a program. The signal may be a name or a number. */
interface ProgramEnd {
  exitCode: number | null
  signal?: string | number | null
}

/** Exit codes of shells for programs that they couldn't start. */
const EXIT_CODES: Record<number, string> = { 126: "a program isn't executable", 127: "a program wasn't found" }

/** Describes how a program ended, and the usual cause: "was killed by SIGKILL (memory probably ran out)". */
export function describeExit(end: ProgramEnd): string {
  const { exitCode, signal } = end
  const how = typeof signal === "number" ? `signal ${signal}` : signal
  const cause = isOutOfMemory(end) ? "memory probably ran out" : EXIT_CODES[exitCode ?? 0]
  return `${how ? `was killed by ${how}` : `ended with exit code ${exitCode ?? "unknown"}`}${cause ? ` (${cause})` : ""}`
}

/**
 * True if the program was killed by SIGKILL, as shown by the signal or by a shell's exit code. The kernel sends SIGKILL
 * when memory runs out.
 */
function isOutOfMemory({ exitCode, signal }: ProgramEnd): boolean {
  return signal === "SIGKILL" || signal === 9 || exitCode === 137
}
