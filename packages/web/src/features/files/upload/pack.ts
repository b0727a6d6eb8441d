import { formatBytes, formatCount } from "@switchyard/core/text/format"
import { unzipSync, zipSync } from "fflate"
import { MAX_ZIP_BYTES } from "../../../session/actions/write-archive.ts"

/** Files chosen by the user: individual files, a folder's files, or a zip to be unpacked. */
export interface Chosen {
  kind: "files" | "folder" | "zip"
  files: readonly File[]
}

/** The files that an upload writes, as the zip to send. */
export interface Packed {
  zip: Uint8Array
  paths: string[]
  /** Number of files that are never uploaded, because they are generated. */
  leftOut: number
}

/** Git's own files could run programs for whoever unpacks the project, and dependencies are installed again anyway. */
const LEFT_OUT = /(?:^|\/)(?:\.git|node_modules|\.venv|venv|__pycache__)\/|(?:^|\/)\.DS_Store$/

/** More than this can't be compressed into a small enough zip, and would fill the browser's memory. */
const MAX_READ_BYTES = 64 * 1024 ** 2

/** Packs the chosen files into one zip. If they can't be uploaded, throws an error that can be shown to people. */
export async function pack({ kind, files }: Chosen): Promise<Packed> {
  const packed = kind === "zip" ? await packZip(files) : await packFiles(files)
  if (packed.paths.length === 0) throw new Error("No files to upload.")
  if (packed.zip.length > MAX_ZIP_BYTES) throw tooLarge(`${formatBytes(packed.zip.length)} zipped`)
  return packed
}

async function packFiles(files: readonly File[]): Promise<Packed> {
  const wanted = files.filter((file) => !LEFT_OUT.test(pathOf(file)))
  const bytes = wanted.reduce((sum, { size }) => sum + size, 0)
  if (bytes > MAX_READ_BYTES) throw tooLarge(`${formatCount(wanted.length, "file")}, ${formatBytes(bytes)}`)
  const read = await Promise.all(wanted.map(async (file) => [pathOf(file), await bytesOf(file)] as const))
  const paths = read.map(([path]) => path)
  return { zip: zipSync(Object.fromEntries(read)), paths, leftOut: files.length - wanted.length }
}

/** Sends a zip unchanged: the server unpacks it, and reports entries that it can't unpack. */
async function packZip([file]: readonly File[]): Promise<Packed> {
  if (!file) return { zip: new Uint8Array(), paths: [], leftOut: 0 }
  if (file.size > MAX_ZIP_BYTES) throw tooLarge(`${file.name}, ${formatBytes(file.size)}`)
  const zip = await bytesOf(file)
  return { zip, paths: namesIn(zip).filter((name) => !name.endsWith("/")), leftOut: 0 }
}

function namesIn(zip: Uint8Array): string[] {
  const names: string[] = []
  try {
    unzipSync(zip, { filter: ({ name }) => names.push(name) < 0 })
  } catch (cause) {
    throw new Error("This isn't a valid zip file.", { cause })
  }
  return names
}

const pathOf = (file: File): string => file.webkitRelativePath || file.name

const bytesOf = async (file: File): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer())

function tooLarge(what: string): Error {
  return new Error(`Too large: ${what}. Uploads can be up to 3 MB when zipped.`)
}
