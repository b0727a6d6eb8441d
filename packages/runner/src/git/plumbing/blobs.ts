import type { Git } from "./git.ts"

/** Reads blobs from a repository. Skips blobs that are missing or larger than `maxBytes`. */
export async function readBlobs(
  git: Git,
  cwd: string,
  blobs: string[],
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<Map<string, Buffer>> {
  const sizes = await blobSizes(git, cwd, blobs, { signal })
  const small = [...sizes].flatMap(([blob, size]) => (size <= maxBytes ? [blob] : []))
  if (small.length === 0) return new Map()
  const { stdout } = await git(["cat-file", "--batch"], { cwd, input: `${small.join("\n")}\n`, signal })
  const contents = new Map<string, Buffer>()
  let at = 0
  for (const blob of small) {
    const content = stdout.indexOf("\n", at) + 1
    const end = content + (sizes.get(blob) ?? 0)
    contents.set(blob, stdout.subarray(content, end))
    at = end + 1
  }
  return contents
}

/** Returns the sizes of the blobs that exist. */
export async function blobSizes(
  git: Git,
  cwd: string,
  blobs: string[],
  { signal }: { signal: AbortSignal },
): Promise<Map<string, number>> {
  const wanted = [...new Set(blobs)].filter((blob) => !/^0+$/.test(blob))
  if (wanted.length === 0) return new Map()
  const { stdout } = await git(["cat-file", "--batch-check"], { cwd, input: `${wanted.join("\n")}\n`, signal })
  const found = stdout
    .toString()
    .split("\n")
    .map((each) => /^([0-9a-f]+) blob (\d+)$/.exec(each))
  return new Map(found.flatMap((match) => (match ? [[match[1] ?? "", Number(match[2])] as const] : [])))
}

/** Stores bytes as a blob, without applying filters, and returns the blob ID. */
export async function writeBlob(git: Git, cwd: string, bytes: Uint8Array, { signal }: { signal: AbortSignal }) {
  const { stdout } = await git(["hash-object", "-w", "--stdin"], { cwd, input: bytes, signal })
  return stdout.toString().trim()
}
