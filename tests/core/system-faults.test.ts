import { execFile } from "node:child_process"
import { once } from "node:events"
import { mkdir, readFile } from "node:fs/promises"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { promisify } from "node:util"
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb"
import { HeadObjectCommand, S3Client } from "@aws-sdk/client-s3"
import { AppError } from "@switchyard/core/errors"
import { describeExit, type SystemFault, shownMessage, systemFaultIn } from "@switchyard/core/system-faults"
import { classifyError } from "@switchyard/core/work/runs/classify-error"
import { expect, it, onTestFinished, vi } from "vitest"

type Type = SystemFault["type"]

const run = promisify(execFile)

it.each<[what: string, type: Type, message: RegExp, fails: () => Promise<unknown>]>([
  [
    "a program that isn't installed",
    "not_installed",
    /^no-such-program couldn't be started/,
    () => run("no-such-program"),
  ],
  ["a program that isn't executable", "permission_denied", /denied access/, () => run(import.meta.filename)],
  ["a program that fails", "program_failed", /^sh ended with exit code 3\.$/, () => run("sh", ["-c", "exit 3"])],
  [
    "a program without its tool",
    "program_failed",
    /127 \(a program wasn't found\)/,
    () => run("sh", ["-c", "no-such"]),
  ],
  ["a program that is killed", "out_of_memory", /killed by SIGKILL/, () => run("sh", ["-c", "kill -9 $$"])],
  ["a child of a shell that is killed", "out_of_memory", /137/, () => run("sh", ["-c", "sh -c 'kill -9 $$'; exit $?"])],
  ["a missing file", "not_found", /missing/, () => readFile("/no/such/file")],
  ["a folder that is a file", "not_found", /missing/, () => mkdir("/etc/hostname/folder")],
  ["a name that doesn't exist", "connection_error", /name/, () => fetch("http://no-such-host.invalid")],
  [
    "a port where nothing listens",
    "connection_error",
    /reached/,
    async () => fetch(`http://127.0.0.1:${await closedPort()}`),
  ],
  ["a server that hangs up", "connection_error", /broke/, () => fetching(({ socket }) => socket.destroy())],
  ["a server without TLS", "connection_error", /TLS/, () => fetching((_, reply) => reply.end(), "https")],
  ["a server that is silent", "timed_out", /in time/, () => fetching(() => {}, "http", timedOut())],
  ["an abort", "interrupted", /interrupted/, () => fetching(() => {}, "http", AbortSignal.abort())],
  ["text that isn't JSON", "invalid_response", /JSON/, async () => JSON.parse("<html>")],
  ["a text that is cut off", "invalid_response", /JSON/, async () => JSON.parse('{"a":')],
  ["DynamoDB that throttles", "storage_unavailable", /limited/, () => dynamo("ProvisionedThroughputExceededException")],
  ["DynamoDB that refuses", "permission_denied", /AWS denied/, () => dynamo("AccessDeniedException")],
  ["DynamoDB without the table", "not_found", /table/, () => dynamo("ResourceNotFoundException")],
  ["expired AWS credentials", "aws_credentials", /expired/, () => dynamo("ExpiredTokenException")],
  ["S3 that refuses without a body", "permission_denied", /AWS denied/, headObject],
  ["missing AWS credentials", "aws_credentials", /missing/, withoutCredentials],
])("explains %s", async (_, type, message, fails) => {
  const error = await fails().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Error)
  const fault = systemFaultIn(new Error("It didn't work.", { cause: error }))
  expect(fault).toMatchObject({ type, message: expect.stringMatching(message), hint: expect.stringMatching(/\.$/) })
  expect(classifyError(error)).toEqual({ error_type: type, message: fault?.message, hint: fault?.hint })
})

it("explains what a full disk, a limit or a broken disk reports, and EAGAIN only if a program should start", () => {
  const typeOf = (fields: object) => systemFaultIn(Object.assign(new Error("No."), fields))?.type
  expect(["ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE"].map((code) => typeOf({ code }))).toEqual(
    Array(6).fill("storage_unavailable"),
  )
  expect(typeOf({ code: "EAGAIN", syscall: "spawn git", path: "git" })).toBe("too_many_processes")
  expect(typeOf({ code: "ENOMEM", syscall: "spawn git", path: "git" })).toBe("out_of_memory")
  expect(typeOf({ code: "EAGAIN", syscall: "write" })).toBeUndefined()
})

it("calls unknown only what nobody foresaw, and doesn't show its text", () => {
  for (const bug of [new TypeError("x is undefined"), new SyntaxError("Unexpected token ';'"), "secret", undefined]) {
    expect(systemFaultIn(bug)).toBeUndefined()
    expect(shownMessage(bug)).toBe("Something went wrong.")
    expect(classifyError(bug)).toMatchObject({ error_type: "unknown_error", message: undefined })
  }
})

it("gives an error of ours the way out of its cause", () => {
  const cause = Object.assign(new Error("spawn git ENOENT"), { code: "ENOENT", syscall: "spawn git", path: "git" })
  const failure = classifyError(new AppError("git_error", "Git couldn't be started.", {}, { cause }))
  expect(failure).toMatchObject({ error_type: "not_installed", message: "Git couldn't be started." })
  expect(failure.hint).toBe("Install git so that it is on the server's PATH.")
})

it("describes ends of programs", () => {
  expect(describeExit({ exitCode: 1 })).toBe("ended with exit code 1")
  expect(describeExit({ exitCode: 126 })).toBe("ended with exit code 126 (a program isn't executable)")
  expect(describeExit({ exitCode: null, signal: 15 })).toBe("was killed by signal 15")
  expect(describeExit({ exitCode: null, signal: "SIGKILL" })).toBe("was killed by SIGKILL (memory probably ran out)")
})

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function fetching(answer: RequestListener, protocol = "http", signal?: AbortSignal): Promise<unknown> {
  return fetch(`${protocol}://127.0.0.1:${await serve(answer)}`, signal ? { signal } : {})
}

const aws = { region: "eu-west-1", maxAttempts: 1, credentials: { accessKeyId: "a", secretAccessKey: "b" } }

/** Returns a signal aborted as by `AbortSignal.timeout`, without the wait. */
function timedOut(): AbortSignal {
  return AbortSignal.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"))
}

async function dynamo(name: string): Promise<unknown> {
  const port = await serve((_, reply) => {
    reply.writeHead(400, { "content-type": "application/x-amz-json-1.0" })
    reply.end(JSON.stringify({ __type: `com.amazonaws.dynamodb#${name}`, message: "No." }))
  })
  const client = new DynamoDBClient({ ...aws, endpoint: `http://127.0.0.1:${port}` })
  return client.send(new GetItemCommand({ TableName: "t", Key: { pk: { S: "a" } } }))
}

async function headObject(): Promise<unknown> {
  const port = await serve((_, reply) => reply.writeHead(403).end())
  const client = new S3Client({ ...aws, endpoint: `http://127.0.0.1:${port}`, forcePathStyle: true })
  return client.send(new HeadObjectCommand({ Bucket: "b", Key: "k" }))
}

async function withoutCredentials(): Promise<unknown> {
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_PROFILE"]) vi.stubEnv(name, undefined)
  for (const name of ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"]) vi.stubEnv(name, "/no/such/file")
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true")
  onTestFinished(() => void vi.unstubAllEnvs())
  const client = new DynamoDBClient({ region: "eu-west-1", maxAttempts: 1 })
  return client.send(new GetItemCommand({ TableName: "t", Key: { pk: { S: "a" } } }))
}
