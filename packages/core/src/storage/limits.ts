import { AppError } from "../errors.ts"
import type { BlobKey } from "./blobs.ts"
import type { PutOptions, RangeOptions, RecordBody, RecordKey } from "./records.ts"

// The limits of a port, in one place, so that both implementations refuse exactly the same.

/** The most that a record may take, as `recordSize` measures it: DynamoDB's limit of an item. */
export const MAX_RECORD_BYTES = 400 * 1024

/** S3 signs no URL for longer than a week. */
const MAX_URL_SECONDS = 7 * 24 * 60 * 60

/** DynamoDB counts names of attributes and numbers too; this is more than ours ever take. */
const OVERHEAD_BYTES = 128

/** The part of `MAX_RECORD_BYTES` that a record takes; `json` is its value as it is stored. */
export function recordSize(key: RecordKey, json: string, body: RecordBody, listed: PutOptions["listed"]): number {
  const texts = [key.partition, key.sort, json, listed?.list ?? "", listed?.order ?? ""]
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), OVERHEAD_BYTES + (body.bytes?.byteLength ?? 0))
}

/** The record's value as JSON, once everything that a put may not hold has been refused. */
export function encodeRecord(key: RecordKey, body: RecordBody, options: PutOptions): string {
  checkRecordKey(key)
  if (options.listed) {
    checkText("A list's name", options.listed.list, 1024)
    checkText("The order in a list", options.listed.order, 512)
  }
  if (options.ifAbsent && options.ifVersion !== undefined) refuse("A put can't have both ifAbsent and ifVersion.")
  if (options.expiresAt !== undefined && !isCount(options.expiresAt)) refuse("expiresAt must be in whole seconds.")
  const json = JSON.stringify(body.value)
  const sizeBytes = recordSize(key, json, body, options.listed)
  if (sizeBytes <= MAX_RECORD_BYTES) return json
  throw new AppError("storage_too_large", "The record is too large.", {
    size_bytes: sizeBytes,
    limit: MAX_RECORD_BYTES,
  })
}

export function checkRecordKey(key: RecordKey): void {
  checkText("A partition", key.partition, 1024)
  checkText("A sort key", key.sort, 512)
}

export function checkRange(partition: string, { from, to, limit }: RangeOptions): void {
  checkText("A partition", partition, 1024)
  if (from !== undefined) checkText("from", from, 512)
  if (to !== undefined) checkText("to", to, 512)
  if (limit !== undefined && !isCount(limit)) refuse("A limit must be a whole number.")
}

export function checkBlobKey(key: BlobKey): void {
  checkText("A blob's key", key, 900)
  checkPrefix(key)
  if (key.split("/").some((segment) => segment === "." || segment === "..")) {
    refuse("A blob's key must not have dot segments.", { key })
  }
}

/** An empty prefix is far more often a mistake than the wish to remove everything. */
export function checkRemovedPrefix(prefix: string): void {
  if (prefix === "") refuse("The prefix to remove must not be empty.")
  checkPrefix(prefix)
}

/** A prefix may end anywhere in a key, so it is only checked for what no key can begin with. */
export function checkPrefix(prefix: string): void {
  if (!prefix.isWellFormed() || /[\p{Cc}\uFFFE\uFFFF]/u.test(prefix)) {
    refuse("A blob's key must not have control characters.", { key: prefix.toWellFormed() })
  }
}

export function checkByteRange(range: { start: number; end?: number } | undefined): void {
  if (!range) return
  const { start, end = start } = range
  if (!isCount(start) || !isCount(end) || end < start) refuse("A range must satisfy 0 <= start <= end.")
}

export function checkUrlLife(expiresInSeconds: number): void {
  if (!isCount(expiresInSeconds) || expiresInSeconds < 1 || expiresInSeconds > MAX_URL_SECONDS) {
    refuse("A signed URL must expire within a second to a week.")
  }
}

/** JavaScript compares strings by UTF-16 units, which differs above U+FFFF. */
export function compareUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function checkText(what: string, text: string, maxBytes: number): void {
  // A lone surrogate has no UTF-8: a store would keep another character, and two keys would become one.
  if (!text.isWellFormed()) refuse(`${what} must be well-formed Unicode.`)
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes === 0 || sizeBytes > maxBytes)
    refuse(`${what} must have 1 to ${maxBytes} bytes.`, { size_bytes: sizeBytes })
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function refuse(message: string, details: Record<string, unknown> = {}): never {
  throw new AppError("validation_error", message, details)
}
