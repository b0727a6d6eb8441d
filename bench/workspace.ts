import { execFile } from "node:child_process"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { ensureArchive } from "@switchyard/core/files/archives/archive"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { compared, cpuOf, cpuTimed, type Line, type NotMeasured, type Question, sideBySide, timed } from "./measure.ts"
import { commitFiles, type ProjectFile, projectFiles, writeFolder } from "./project.ts"
import { liveSession, newStage, type Stage, signal } from "./stage.ts"

const FILE_BYTES = 4096
const MIDDLING_BYTES = 16 * 1024
const LARGE_BYTES = 8 * 1024 * 1024

export const workspace: Question = {
  asks: "How long do a commit, a tree and an archive take?",
  answer: async () => [
    ...(await answersFor("100 files of 4 KB", projectFiles(100, FILE_BYTES), { rounds: 9, zips: 21 })),
    ...(await answersFor("1,000 files of 4 KB", projectFiles(1000, FILE_BYTES), { rounds: 5, zips: 21 })),
    ...(await answersFor("5,000 files of 4 KB", projectFiles(5000, FILE_BYTES), { rounds: 3, zips: 15 })),
    ...(await answersFor("1,000 files of 16 KB", projectFiles(1000, MIDDLING_BYTES), { rounds: 5, zips: 15 })),
    ...(await answersFor("8 files of 8 MB", projectFiles(8, LARGE_BYTES), { rounds: 3, zips: 3 })),
  ],
}

/**
 * Numbers of measured pairs. Archives have their own, because their ratio is a limit, and few pairs vary with the load.
 */
interface Rounds {
  rounds: number
  zips: number
}

async function answersFor(
  of: string,
  source: Iterable<ProjectFile>,
  { rounds, zips }: Rounds,
): Promise<(Line | NotMeasured)[]> {
  const files = [...source]
  await using stage = await newStage()
  const folder = join(stage.directory, "folder")
  const commit = await sideBySide(
    () => commitTime(stage, files),
    () => folderTime(folder, files),
    { rounds },
  )
  const session = await liveSession(stage)
  await commitFiles(stage, session, files)
  const tree = await sideBySide(
    () => timed(async () => (await openWorkspace(stage, session, {})).tree()),
    () => timed(() => readdir(folder, { recursive: true, withFileTypes: true })),
    { rounds },
  )
  return [
    compared(`commit of ${of}`, "ms", "write and flush the files in a folder", commit),
    compared(`tree of ${of}`, "ms", "readdir of the folder", tree),
    await archiveLine(`zip of ${of}`, stage, session, folder, zips),
  ]
}

/** Measures a commit in a new session, because a session doesn't store the same blob twice. */
async function commitTime(stage: Stage, files: ProjectFile[]): Promise<number> {
  const session = await liveSession(stage, stage.newId("ws"))
  return timed(() => commitFiles(stage, session, files))
}

async function folderTime(folder: string, files: ProjectFile[]): Promise<number> {
  await rm(folder, { recursive: true, force: true })
  return timed(() => writeFolder(folder, files))
}

async function archiveLine(
  what: string,
  stage: Stage,
  session: Awaited<ReturnType<typeof liveSession>>,
  folder: string,
  rounds: number,
): Promise<Line | NotMeasured> {
  if (!(await hasZip())) return { what, reason: "no zip" }
  const file = join(stage.directory, "folder.zip")
  const archive = async () => {
    await stage.blobs.remove(await ensureArchive(stage, session, { signal }))
    return cpuTimed(() => ensureArchive(stage, session, { signal }))
  }
  const zip = async () => {
    await rm(file, { force: true })
    return cpuOf("zip", ["-q", "-r", file, "."], { cwd: folder })
  }
  // For 1,000 small files, the ratio was 2.1 on an idle machine and 2.6 on a busy one.
  const time = await sideBySide(archive, zip, { rounds })
  return compared(`${what}, processor time`, "ms", "zip -r of the folder", time, { of: "ratio", atMost: 3 })
}

async function hasZip(): Promise<boolean> {
  return promisify(execFile)("zip", ["-v"]).then(
    () => true,
    () => false,
  )
}
