import { type Files, ownFiles } from "../files/files.ts"
import { decodeArgument, type FilesRequest, READS, WRITES } from "./files-protocol.ts"
import { decodeFrames, encodeFrame } from "./frames.ts"

// Accesses files for the runner, with the rights of the user that runs this process. Exits when its input ends.

for await (const { json, bytes } of decodeFrames(process.stdin)) void answer(json as FilesRequest, bytes)
process.exit(0)

async function answer({ id, method, args }: FilesRequest, bytes: Buffer): Promise<void> {
  const given = [...args.map(decodeArgument), ...(WRITES.has(method) ? [bytes] : [])]
  const call = ownFiles[method] as (...given: unknown[]) => Promise<unknown>
  try {
    const value = await call(...given)
    if (READS.has(method)) return send({ id, value: value && true }, value as Buffer | undefined)
    send({ id, value: method === "list" ? asText(value as Awaited<ReturnType<Files["list"]>>) : value })
  } catch (error) {
    const { message, code, path } = error as NodeJS.ErrnoException
    send({ id, error: { message, code, path: path === undefined ? undefined : `${path}` } })
  }
}

function asText(entries: Awaited<ReturnType<Files["list"]>>) {
  return entries.map(({ name, kind }) => ({ name: name.toString("latin1"), kind }))
}

function send(json: object, bytes?: Buffer): void {
  for (const part of encodeFrame(json, bytes)) process.stdout.write(part)
}
