import { createHash } from "node:crypto"
import { join } from "node:path"
import { artifactBlobs } from "@switchyard/core/kernel/keys"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Picture } from "@switchyard/core/work/gate/schema"
import * as z from "zod"
import { locate } from "../programs/locate.ts"
import { diskOf, type Workdir } from "./workdir.ts"

/**
 * Browsers that the check can control, in order of preference. The headless shell is preferred because it starts faster
 * and uses less memory.
 */
const BROWSERS = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
]

/** Returns the first of these browsers on the path. Undefined if there is none. */
export async function findBrowser(path: string): Promise<string | undefined> {
  for (const name of BROWSERS) {
    const found = await locate(name, path)
    if (found) return found.file
  }
  return undefined
}

/** Returns the folder where a check's browser stores its results. */
export function resultsFolder({ home }: Pick<Workdir, "home">): string {
  return join(home, ".tmp", "page")
}

const MAX_JSON_BYTES = 64 * 1024
const MAX_PNG_BYTES = 2 * 1024 * 1024
const MAX_SIDE = 4096

/**
 * Results stored by the check's browser. They are untrusted, because the project's programs can write to the same
 * folder.
 */
const Opened = z.object({
  errors: z.array(z.string().max(1000)).max(20),
  others: z.array(z.string().max(300)).max(100),
})

/** Results of opening a page. They include no screenshot if the page kept loading. */
export interface OpenedPage extends z.infer<typeof Opened> {
  shot: Shot | undefined
}

interface Shot {
  png: Buffer
  size: { width: number; height: number }
}

/** Reads the results of opening a page. Returns undefined if no browser has opened the page. */
export async function readOpenedPage(workdir: Workdir): Promise<OpenedPage | undefined> {
  try {
    const about = await diskOf(workdir).readPart(join(resultsFolder(workdir), "page.json"), 0, MAX_JSON_BYTES)
    return { ...Opened.parse(JSON.parse(about.toString())), shot: await readShot(workdir) }
  } catch {
    return undefined
  }
}

async function readShot(workdir: Workdir): Promise<Shot | undefined> {
  try {
    const png = await diskOf(workdir).readPart(join(resultsFolder(workdir), "page.png"), 0, MAX_PNG_BYTES + 1)
    const size = sizeOfPng(png)
    return size && png.length <= MAX_PNG_BYTES ? { png, size } : undefined
  } catch {
    return undefined
  }
}

/** Stores a screenshot outside the session log. */
export async function storePicture(
  blobs: Blobs,
  { sid, incarnation }: { sid: string; incarnation: number },
  { png, size }: Shot,
): Promise<Picture> {
  const sha256 = createHash("sha256").update(png).digest("hex")
  await blobs.put(`${artifactBlobs(sid, incarnation)}${sha256}`, png)
  return { sha256, size_bytes: png.length, ...size }
}

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex")

/** Returns the size in a PNG's header. Returns undefined if the bytes aren't a PNG. */
function sizeOfPng(bytes: Buffer): { width: number; height: number } | undefined {
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(SIGNATURE) || bytes.toString("latin1", 12, 16) !== "IHDR")
    return
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  const isUsable = width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE
  return isUsable ? { width, height } : undefined
}
