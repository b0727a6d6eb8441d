import * as z from "zod"
import type { FilePath, Files } from "../files/files.ts"
import { encodeFrame } from "./frames.ts"

/** Request to a file process: a method of `Files`, and its arguments without the bytes to write. */
export interface FilesRequest {
  id: number
  method: keyof Files
  args: (string | number | { latin1: string } | { int: string })[]
}

/** Methods whose last argument is sent as the bytes of the message. */
export const WRITES: ReadonlySet<keyof Files> = new Set(["create", "replace"])
/** Methods whose result is sent as bytes. The JSON part says whether the result is undefined. */
export const READS: ReadonlySet<keyof Files> = new Set(["readRegular", "readPart"])

export function encodeRequest(id: number, method: keyof Files, given: unknown[]): Buffer[] {
  const isWrite = WRITES.has(method)
  const args = (isWrite ? given.slice(0, -1) : given) as (FilePath | number | bigint)[]
  const request: FilesRequest = { id, method, args: args.map(encodeArgument) }
  return encodeFrame(request, isWrite ? (given.at(-1) as Uint8Array) : undefined)
}

function encodeArgument(value: FilePath | number | bigint): FilesRequest["args"][number] {
  if (typeof value === "bigint") return { int: `${value}` }
  return Buffer.isBuffer(value) ? { latin1: value.toString("latin1") } : value
}

export function decodeArgument(value: FilesRequest["args"][number]): FilePath | number | bigint {
  if (typeof value !== "object") return value
  return "int" in value ? BigInt(value.int) : Buffer.from(value.latin1, "latin1")
}

const FileKind = z.enum(["file", "folder", "link", "other"])
const Int = z
  .string()
  .regex(/^-?\d{1,20}$/)
  .transform(BigInt)
const Stat = z
  .object({
    kind: FileKind,
    mode: z.int(),
    uid: z.int(),
    size: z.int(),
    dev: Int,
    ino: Int,
    atimeNs: Int,
    mtimeNs: Int,
    ctimeNs: Int,
    birthtimeNs: Int,
  })
  .optional()
const Name = z
  .string()
  .regex(/^[^/\0\u0100-\uffff]{1,4096}$/)
  .refine((name) => name !== "." && name !== "..")
  .transform((name) => Buffer.from(name, "latin1"))
const Nothing = z.undefined()
const Bytes = z.literal(true).optional()

/**
 * Schemas for the results of each method. Results must be validated, because the process runs as the agents' user, so
 * an agent may have forged them.
 */
const ANSWERS = {
  lstat: Stat,
  stat: Stat,
  exists: z.boolean(),
  realpath: z.string().max(65_536),
  list: z.array(z.object({ name: Name, kind: FileKind })),
  readText: z
    .string()
    .max(2 ** 21)
    .optional(),
  readRegular: Bytes,
  readPart: z.literal(true),
  create: Nothing,
  replace: Nothing,
  copy: Nothing,
  setTimes: Nothing,
  link: Nothing,
  symlink: Nothing,
  rename: Nothing,
  makeFolder: Nothing,
  removeFolder: Nothing,
  unlink: Nothing,
  remove: Nothing,
} satisfies Record<keyof Files, z.ZodType>

const Answer = z.object({
  id: z.int(),
  value: z.unknown().optional(),
  error: z
    .object({
      message: z.string().max(10_000),
      code: z.string().max(100).optional(),
      path: z.string().max(65_536).optional(),
    })
    .optional(),
})

/** Parses a reply. Throws if the reply is invalid. */
export function readAnswer(json: unknown): z.infer<typeof Answer> {
  return Answer.parse(json)
}

/** Parses the result in a reply. Throws if the method can't have returned this result. */
export function readValue(method: keyof Files, value: unknown, bytes: Buffer): unknown {
  const read = ANSWERS[method].parse(value)
  return READS.has(method) && read !== undefined ? bytes : read
}
